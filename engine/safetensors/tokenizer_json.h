// SPDX-License-Identifier: MIT
// tokenizer.json under GGUF's keys: tokens, their types, merges or scores, the pre-tokenizer.
//
// Byte-level BPE becomes "gpt2". BPE over characters with tokens for bytes (Llama 2, Mistral,
// Gemma) becomes "llama", as SentencePiece has it: a token's score is the place of the first merge
// that makes it. Source: https://huggingface.co/docs/tokenizers/api/models
#pragma once

#include <cstddef>
#include <cstdint>
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

// Which of GGUF's pre-tokenizers (tokenizer.ggml.pre) a tokenizer.json describes.
struct PreTokenizerName {
  std::string_view name;  // "llama-bpe"; empty: none that is known
  std::string steps;      // what the file has, for the error
};

// pre_tokenizer: of a byte-level tokenizer. ignore_merges: as its model says.
PreTokenizerName name_pre_tokenizer(const Json& pre_tokenizer, bool ignore_merges);

// What a folder says of its model besides tokens and weights, under GGUF's keys: which tokens begin
// and end a text, the chat template, how the authors sample.

// From tokenizer_config.json where there is one, then from config (config.json) and
// generation_config.json. Throws ModelError, as all of these.
void add_special_tokens(const std::string& folder, const Json& config,
                        const TokenizerJson& tokenizer, GgufHeader& keys);
// Of chat_template.jinja, chat_template.json or tokenizer_config.json, the first that has one.
void add_chat_template(const std::string& folder, GgufHeader& keys);
void add_sampling(const std::string& folder, GgufHeader& keys);

}  // namespace confab::engine
