// SPDX-License-Identifier: MIT
// Any text in several tiny vocabularies: ids of the vocabulary, which give the text back; no
// control token where parsing is off or a span is literal.
//
// Input: a byte that chooses the vocabulary, one that says where a literal span begins and one
// where it ends (in 256ths of the text), then the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/pre_tokenizer.h"
#include "engine/text/tokenizer.h"
#include "engine/text/unicode_class.h"
#include "tests/engine/text/tiny_vocabularies.h"

namespace {

using namespace confab::engine;

struct Subject {
  std::unique_ptr<const Tokenizer> tokenizer;
  bool repairs = false;     // ill-formed UTF-8 comes back repaired
  bool escapes = false;     // U+2581 comes back as a space
  bool adds_space = false;  // at the start of the text, and behind every special token
};

std::unique_ptr<const Tokenizer> load(const GgufWriter& writer) {
  return Tokenizer::load(*WrittenGguf(writer));
}

std::vector<Subject> load_all() {
  std::vector<Subject> subjects;
  const std::string s = "\u2581";
  const std::vector<SpmToken> tokens{
      {s, -9},        {"a", -8},  {"b", -8},         {s + s, -1},    {s + "a", -2}, {"ab", -3},
      {s + "ab", -4}, {"aa", -3}, {"<think>", 0, 4}, {"\n\n", 0, 4}, {"é", -7},     {"<x>", 0, 3}};
  subjects.push_back({load(spm_vocabulary(tokens)), false, true, true});
  subjects.push_back({load(spm_vocabulary(tokens).add("tokenizer.ggml.add_space_prefix", false)),
                      false, true, false});
  subjects.push_back({load(plain_vocabulary()), true, true, false});
  const std::string names = known_pre_tokenizers();
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find(", ", begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    if (!find_pre_tokenizer(name)->plain_text) {
      subjects.push_back({load(pair_vocabulary(name)), true, false, false});
    }
    begin = end + 2;
  }
  return subjects;
}

void require(bool holds) {
  if (!holds) std::abort();
}

// What decoding gives back for `text`.
std::string expected_text(const Subject& subject, std::string_view text) {
  std::string expected(text);
  if (subject.repairs) expected = repair_utf8(text).value_or(expected);
  if (!subject.escapes) return expected;
  for (std::size_t at = 0; (at = expected.find("\u2581", at)) != expected.npos; ++at) {
    expected.replace(at, 3, " ");
  }
  return expected;
}

bool is_control(const Tokenizer& tokenizer, Token id) {
  return !tokenizer.piece(id, true).empty() && tokenizer.piece(id, false).empty();
}

void check_text_comes_back(const Subject& subject, std::string_view text) {
  const bool has_special = text.find('<') != text.npos || text.find("\n\n") != text.npos;
  if (subject.adds_space && has_special) return;
  const bool well_formed = !repair_utf8(text).has_value();
  if (!subject.repairs && !well_formed) return;
  const std::string expected = expected_text(subject, text);
  for (const bool parse_special : {false, true}) {
    const auto ids = subject.tokenizer->encode(text, parse_special);
    require(subject.tokenizer->decode(ids, true) == expected);
  }
}

// Control tokens stay out of the literal span. Ids give the bytes of the text one after the other.
void check_literal(const Tokenizer& tokenizer, std::string_view text, ByteSpan literal) {
  std::size_t at = 0;
  for (const Token id : tokenizer.encode(text, std::span(&literal, 1))) {
    const std::size_t end = at + tokenizer.piece(id, true).size();
    const bool apart = end <= literal.begin || at >= literal.end;
    require(!is_control(tokenizer, id) || apart);
    at = end;
  }
  require(at == text.size());
}

void check(const Subject& subject, std::string_view text, ByteSpan literal) {
  const Tokenizer& tokenizer = *subject.tokenizer;
  for (const Token id : tokenizer.encode(text, false)) require(!is_control(tokenizer, id));
  check_text_comes_back(subject, text);
  const bool bytes_stay = !subject.escapes && !repair_utf8(text).has_value();
  if (bytes_stay && literal.begin < literal.end) check_literal(tokenizer, text, literal);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Subject> subjects = load_all();
  if (size < 3) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::size_t begin = text.size() * data[1] / 256;
  const std::size_t end = std::max(begin, text.size() * data[2] / 256);
  check(subjects[data[0] % subjects.size()], text, {begin, end});
  return 0;
}
