// SPDX-License-Identifier: MIT
// Each matcher against PCRE2 running the expression that it stands for.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/pre_matchers.h"

#include <gtest/gtest.h>
#include <pcre2.h>

#include <memory>
#include <random>

#include "engine/unicode_class.h"
#include "tests/engine/tiny_vocabularies.h"

namespace confab::engine {
namespace {

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

struct Case {
  const char* name;
  PreMatcher match;
  std::string pattern;
};

std::string cl100k(const std::string& digits, const std::string& letter, const std::string& mark) {
  return "'[sSdDmMtT]|'[rR][eE]|'[vV][eE]|'[lL][lL]|[^\\r\\n\\p{L}\\p{N}]?" + letter + "+|" +
         digits + "| ?[^\\s\\p{L}\\p{N}" + mark + "]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
}

std::string o200k(const std::string& digits, const std::string& suffix) {
  const std::string upper = "(?:(?=\\p{L})[^a-z])", lower = "(?:(?=\\p{L})[^A-Z])";
  const std::string prefix = "[^\\r\\n\\p{L}\\p{N}]?";
  return prefix + upper + "*" + lower + "+" + suffix + "|" + prefix + upper + "+" + lower + "*" +
         suffix + "|" + digits + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
}

const std::string kSuffix = "(?:'[sSdDmMtT]|'[rR][eE]|'[vV][eE]|'[lL][lL])?";

const Case kCases[] = {
    {"gpt2", match_gpt2,
     "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"},
    {"llama3", match_llama3, cl100k("\\p{N}{1,3}", "\\p{L}", "")},
    {"qwen2", match_qwen2, cl100k("\\p{N}", "\\p{L}", "")},
    {"qwen35", match_qwen35, cl100k("\\p{N}", "[\\p{L}\\p{M}]", "\\p{M}")},
    {"tekken", match_tekken, o200k("\\p{N}", "")},
    {"gpt4o", match_gpt4o, o200k("\\p{N}{1,3}", kSuffix)},
    {"deepseek3", match_deepseek3,
     "[!-/:-@\\[-`{-~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
     "| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
    {"number", match_number, "\\p{N}"},
    {"numbers", match_numbers, "\\p{N}+"},
    {"numbers_3", match_numbers_3, "\\p{N}{1,3}"},
    {"ascii_digits_3", match_ascii_digits_3, "[0-9][0-9][0-9]"},
    {"line_break", match_line_break, "[\\r\\n]"},
    {"space_letters", match_space_letters, "\\s?\\p{L}+"},
    {"space_punctuation", match_space_punctuation, "\\s?\\p{P}+"},
    {"punctuation", match_punctuation, "[\\p{P}$+<=>^~|]+"},
    {"falcon_punctuation", match_falcon_punctuation, "[\\p{P}$+<=>^~|`]+"},
    {"han_kana", match_han_kana, "[\\x{4E00}-\\x{9FA5}\\x{3040}-\\x{30FF}]+"},
    {"east_asian", match_east_asian, "[\\x{0800}-\\x{9FA5}\\x{AC00}-\\x{D7FF}]+"},
};

class PreMatchersTest : public testing::TestWithParam<Case> {};

TEST_P(PreMatchersTest, EqualsItsExpressionOnRandomText) {
  const Regex regex(GetParam().pattern);
  ASSERT_TRUE(regex.ok()) << GetParam().pattern;
  std::mt19937 rng(20250611);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_text(rng, 1 + static_cast<int>(rng() % 12));
    const char* end = text.data() + text.size();
    for (const char* p = text.data(); p < end; p += read_char(p, end).size) {
      const std::string_view rest(p, static_cast<std::size_t>(end - p));
      const auto got = static_cast<std::size_t>(GetParam().match(p, end) - p);
      ASSERT_EQ(got, regex.match(rest)) << "on \"" << rest << "\"";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PreMatchersTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace confab::engine
