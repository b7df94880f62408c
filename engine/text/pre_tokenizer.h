// SPDX-License-Identifier: MIT
// The rules by which byte-level BPE splits a text before merging, chosen by tokenizer.ggml.pre.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/pre_matchers.h"

namespace confab::engine {

using Words = std::vector<std::string_view>;

// One step of a rule: cuts a piece into non-empty parts, in order. It is either a matcher, whose
// matches and the text between them become the parts, or a function that appends the parts.
struct PreStage {
  constexpr PreStage() = default;
  using Split = void (*)(std::string_view piece, Words& parts);
  // Implicit, so that the table of rules is short.
  constexpr PreStage(PreMatcher matcher) : match(matcher) {}
  constexpr PreStage(Split splitter) : split(splitter) {}

  PreMatcher match = nullptr;
  Split split = nullptr;
};

struct PreTokenizer {
  std::string_view name;
  // Applied in order, each to all parts that the previous one produced. The first empty stage ends
  // the list.
  std::array<PreStage, 6> stages{};
  bool ignore_merges = false;  // a word that is a token becomes that token, whatever the merges say
  bool add_bos = false;        // the default for a missing tokenizer.ggml.add_bos_token
  bool clean_spaces = false;   // see Tokenizer::detokenize()
  // The vocabulary is written in plain UTF-8 with U+2581 for the space, instead of the alphabet of
  // append_bytes(), and has tokens like "<0x0A>" for bytes that nothing else covers.
  bool plain_text = false;
  // Gemma 4 only: a run of line breaks that is a token becomes that token, and BOS is added even if
  // tokenizer.ggml.add_bos_token is false (the first files had it wrong).
  bool gemma4 = false;
};

// Finds a rule by name (nullopt or empty means "default"). nullptr if unknown.
const PreTokenizer* find_pre_tokenizer(std::optional<std::string_view> name);
std::string known_pre_tokenizers();  // names, separated by ", "

// Appends the non-empty words of a well-formed UTF-8 text to `words`, in order. They borrow from
// the text.
void pre_tokenize(const PreTokenizer& rule, std::string_view text, Words& words);

// Stages that no matcher can do in linear time, because the place of a cut depends on how far the
// piece goes on. `piece` is not empty and well-formed UTF-8. The parts are appended and borrow from
// it.

// Splits 1234567 into 1, 234 and 567: a cut before every 3, 6, 9 ... ASCII digits that no digit
// follows. SuperBPE's expression is (?=(\d{3})+(?!\d)).
void split_digits_by_threes(std::string_view piece, Words& parts);

// Splits runs of \p{N} into threes, counted from their ends. Text before a run stays with its first
// part. This is the rule of AFMoE and Tiny Aya, as llama.cpp implements it.
void split_before_digits_by_threes(std::string_view piece, Words& parts);

// \s+$
void split_off_last_spaces(std::string_view piece, Words& parts);

}  // namespace confab::engine
