// SPDX-License-Identifier: MIT
// The rules that byte-level BPE splits a text by before it merges, chosen by tokenizer.ggml.pre.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/pre_matchers.h"

namespace confab::engine {

struct PreTokenizer {
  std::string_view name;
  // Applied in turn: each cuts every piece left by those before it into matches and what lies
  // between them. Ends at the first nullptr.
  std::array<PreMatcher, 6> stages{};
  bool ignore_merges = false;  // a word that is a token is that token, whatever the merges say
  bool add_bos = false;        // when tokenizer.ggml.add_bos_token is absent
  bool clean_spaces = false;   // see Tokenizer::detokenize()
};

// The rule of that name (nullopt or empty: "default"); nullptr: unknown.
const PreTokenizer* find_pre_tokenizer(std::optional<std::string_view> name);
std::string known_pre_tokenizers();  // names, separated by ", "

// The words of a well-formed UTF-8 text, in order, none empty; appended to `words`, borrowed from
// the text.
void pre_tokenize(const PreTokenizer& rule, std::string_view text,
                  std::vector<std::string_view>& words);

}  // namespace confab::engine
