// SPDX-License-Identifier: MIT
// Which of GGUF's pre-tokenizers (tokenizer.ggml.pre) a tokenizer.json describes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace confab::engine {

using Json = nlohmann::json;

struct PreTokenizerName {
  std::string_view name;  // "llama-bpe"; empty: none that is known
  std::string steps;      // what the file has, for the error
};

// pre_tokenizer: of a byte-level tokenizer. ignore_merges: as its model says.
PreTokenizerName name_pre_tokenizer(const Json& pre_tokenizer, bool ignore_merges);

}  // namespace confab::engine
