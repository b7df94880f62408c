// SPDX-License-Identifier: MIT
#include "engine/constrain/json/json_text.h"

#include "engine/constrain/characters.h"

namespace confab::engine {
namespace {

constexpr int kMaxIndent = 64;

RegexId quoted(RegexSet& r, RegexId inside) {
  return r.concat({r.literal("\""), inside, r.literal("\"")});
}

}  // namespace

RegexId json_space(RegexSet& r) {
  ByteSet blanks = ByteSet::of(' ');
  blanks.add('\t');
  const RegexId line = r.concat(
      {r.optional(r.literal("\r")), r.literal("\n"), r.repeat(r.bytes(blanks), 0, kMaxIndent)});
  return r.either({RegexSet::kEmpty, r.literal(" "), line});
}

RegexId any_string(RegexSet& r) {
  return string_of_length(r, 0, RegexSet::kNoLimit);
}

RegexId plain_string(RegexSet& r) {
  return quoted(r, r.repeat(json_plain_character(r), 0, RegexSet::kNoLimit));
}

RegexId string_literal(RegexSet& r, std::string_view utf8) {
  return quoted(r, text_literal(r, utf8, TextForm::json));
}

RegexId string_of_length(RegexSet& r, int min, int max) {
  return quoted(r, r.repeat(json_character(r), min, max));
}

}  // namespace confab::engine
