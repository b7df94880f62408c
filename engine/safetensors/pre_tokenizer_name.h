// SPDX-License-Identifier: MIT
// Which of GGUF's pre-tokenizers (tokenizer.ggml.pre) a tokenizer.json describes.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace confab::engine {

using base::Json;

struct PreTokenizerName {
  std::string_view name;  // "llama-bpe"; empty: none that is known
  std::string steps;      // what the file has, for the error
};

// pre_tokenizer: of a byte-level tokenizer. ignore_merges: as its model says.
PreTokenizerName name_pre_tokenizer(const Json& pre_tokenizer, bool ignore_merges);

}  // namespace confab::engine
