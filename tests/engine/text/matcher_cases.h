// SPDX-License-Identifier: MIT
// Matchers of pre-tokenizers against PCRE2 running the expressions that they stand for.
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <gtest/gtest.h>
#include <pcre2.h>

#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "engine/text/pre_matchers.h"
#include "engine/text/unicode_class.h"
#include "tests/engine/text/tiny_vocabularies.h"

namespace confab::engine {

class Regex {
 public:
  explicit Regex(const std::string& pattern) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.c_str()), PCRE2_ZERO_TERMINATED,
                              PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED, &error, &offset, nullptr));
    match_.reset(pcre2_match_data_create(1, nullptr));
  }
  bool ok() const { return code_ != nullptr; }

  // Bytes of the match at the start of the text; 0: none.
  std::size_t match(std::string_view text) const {
    const int n = pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                              0, 0, match_.get(), nullptr);
    return n < 0 ? 0 : pcre2_get_ovector_pointer(match_.get())[1];
  }

 private:
  struct Free {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
  };
  std::unique_ptr<pcre2_code, Free> code_;
  std::unique_ptr<pcre2_match_data, Free> match_;
};

struct MatcherCase {
  const char* name;
  PreMatcher match;
  std::string pattern;
};

inline void expect_equal_matches(const MatcherCase& test, std::string_view text,
                                 const Regex& regex) {
  const char* end = text.data() + text.size();
  for (const char* p = text.data(); p < end; p += read_char(p, end).size) {
    const std::string_view rest(p, static_cast<std::size_t>(end - p));
    const auto got = static_cast<std::size_t>(test.match(p, end) - p);
    ASSERT_EQ(got, regex.match(rest)) << "on \"" << rest << "\"";
  }
}

inline void expect_equals_its_expression(const MatcherCase& test) {
  const Regex regex(test.pattern);
  ASSERT_TRUE(regex.ok()) << test.pattern;
  std::mt19937 rng(20250611);
  for (int i = 0; i < 3000 && !testing::Test::HasFailure(); ++i) {
    expect_equal_matches(test, random_text(rng, 1 + static_cast<int>(rng() % 12)), regex);
  }
}

}  // namespace confab::engine
