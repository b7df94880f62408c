// SPDX-License-Identifier: MIT
// tokenizer.json under GGUF's keys: tokens, their types, merges or scores, the pre-tokenizer.
//
// Byte-level BPE becomes "gpt2". BPE over characters with tokens for bytes (Llama 2, Mistral,
// Gemma) becomes "llama", as SentencePiece has it: a token's score is the place of the first merge
// that makes it. Source: https://huggingface.co/docs/tokenizers/api/models
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "engine/gguf/gguf_header.h"

namespace confab::engine {

using base::Json;

struct TokenizerJson {
  std::vector<std::string> tokens;  // [n_vocab]
  // The special tokens that the post-processor puts before and after a text; empty: none.
  std::string first, last;

  std::optional<std::uint32_t> find(std::string_view token) const;  // its id
};

// n_vocab: rows of the embedding. Tokens beyond them are left out, and rows without a token get an
// unused one. Throws ModelError "PATH: ..." for a tokenizer of another kind, or a damaged one.
TokenizerJson add_tokenizer(const std::string& path, const Json& tokenizer, std::size_t n_vocab,
                            GgufHeader& keys);

}  // namespace confab::engine
