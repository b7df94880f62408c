// SPDX-License-Identifier: MIT
// Translates tokenizer.json to GGUF's keys: tokens, their types, merges or scores, and the
// pre-tokenizer. Other files of the folder add the special tokens, the chat template and the
// sampling.
//
// Byte-level BPE becomes "gpt2". BPE over characters with tokens for bytes (Llama 2, Mistral,
// Gemma) becomes "llama", as for SentencePiece: a token's score is the position of the first merge
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
  // The special tokens that the post-processor puts before and after a text. Empty: none.
  std::string first, last;

  std::optional<std::uint32_t> find(std::string_view token) const;  // its id
};

// n_vocab: rows of the embedding. Tokens beyond it are left out; rows without a token get an unused
// one. Throws ModelError "PATH: ..." if the tokenizer is of another kind or damaged.
TokenizerJson add_tokenizer(const std::string& path, const Json& tokenizer, std::size_t n_vocab,
                            GgufHeader& keys);

// Identifies which of GGUF's pre-tokenizers (tokenizer.ggml.pre) a tokenizer.json describes.
struct PreTokenizerName {
  std::string_view name;  // "llama-bpe"; empty: unknown
  std::string steps;      // the steps in the file, for the error message
};

// pre_tokenizer belongs to a byte-level tokenizer. ignore_merges is the flag of its model.
PreTokenizerName name_pre_tokenizer(const Json& pre_tokenizer, bool ignore_merges);

// The functions below add GGUF keys for the rest of what a folder says about its model: the tokens
// that begin and end a text, the chat template, and the authors' sampling settings.

// Reads tokenizer_config.json if it exists, then config (config.json) and generation_config.json.
// Throws ModelError, like the others.
void add_special_tokens(const std::string& folder, const Json& config,
                        const TokenizerJson& tokenizer, GgufHeader& keys);
// Reads chat_template.jinja, chat_template.json or tokenizer_config.json, the first that has one.
void add_chat_template(const std::string& folder, GgufHeader& keys);
void add_sampling(const std::string& folder, GgufHeader& keys);

}  // namespace confab::engine
