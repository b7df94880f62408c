// SPDX-License-Identifier: MIT
// Tokens that are special by their texts, whatever the file says of their types: many files say it
// wrongly. Source: llama.cpp, src/llama-vocab.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer.h"

namespace confab::engine {

struct SpecialTexts {
  std::vector<Token> control;
  // Control tokens that are shown: the markers of the harmony format (gpt-oss), which an answer is
  // made of.
  std::vector<Token> markers;
  std::vector<Token> normal;  // text like any other, though it looks special
  std::vector<Token> eog;     // end of generation; none of `markers` and `normal`
};

// `texts`: tokenizer.ggml.tokens. Tokens for fill-in-the-middle that the file names by its keys are
// not looked for by text.
SpecialTexts find_special_texts(const Gguf& gguf, std::span<const std::string_view> texts);

}  // namespace confab::engine
