// SPDX-License-Identifier: MIT
// The rules that byte-level BPE splits a text by before it merges, chosen by tokenizer.ggml.pre.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/pre_matchers.h"

namespace confab::engine {

using Words = std::vector<std::string_view>;

// One step of a rule: cuts a piece into parts, in order, none empty. Either a matcher, whose
// matches and what lies between them are the parts, or a function that appends them.
struct PreStage {
  constexpr PreStage() = default;
  using Split = void (*)(std::string_view piece, Words& parts);
  // Implicit, for the table of rules.
  constexpr PreStage(PreMatcher matcher) : match(matcher) {}
  constexpr PreStage(Split splitter) : split(splitter) {}

  PreMatcher match = nullptr;
  Split split = nullptr;
};

struct PreTokenizer {
  std::string_view name;
  // Applied in turn, each to every part that those before it have made. Ends at the first empty
  // one.
  std::array<PreStage, 6> stages{};
  bool ignore_merges = false;  // a word that is a token is that token, whatever the merges say
  bool add_bos = false;        // when tokenizer.ggml.add_bos_token is absent
  bool clean_spaces = false;   // see Tokenizer::detokenize()
  // The vocabulary is written in plain UTF-8 with U+2581 for the space, not in the alphabet of
  // vocab.h, and has "<0x0A>" for bytes that no token covers.
  bool plain_text = false;
  // Gemma 4's own: a run of line breaks that is a token is that token, and BOS is added even where
  // tokenizer.ggml.add_bos_token says no (the first files were written so).
  bool gemma4 = false;
};

// The rule of that name (nullopt or empty: "default"); nullptr: unknown.
const PreTokenizer* find_pre_tokenizer(std::optional<std::string_view> name);
std::string known_pre_tokenizers();  // names, separated by ", "

// The words of a well-formed UTF-8 text, in order, none empty; appended to `words`, borrowed from
// the text.
void pre_tokenize(const PreTokenizer& rule, std::string_view text, Words& words);

// Stages that a matcher cannot do in linear time: where to cut depends on how far the piece goes
// on. `piece`: not empty, well-formed UTF-8; the parts are appended and borrowed from it.

// 1234567 into 1, 234 and 567: a cut before every 3, 6, 9 ... ASCII digits that no digit follows.
// The expression is (?=(\d{3})+(?!\d)), as SuperBPE has it.
void split_digits_by_threes(std::string_view piece, Words& parts);

// Runs of \p{N} by threes from their ends; what stands before a run stays with its first part. The
// rule of AFMoE and Tiny Aya, as llama.cpp carries it out.
void split_before_digits_by_threes(std::string_view piece, Words& parts);

// \s+$
void split_off_last_spaces(std::string_view piece, Words& parts);

}  // namespace confab::engine
