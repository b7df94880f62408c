// SPDX-License-Identifier: MIT
// What a folder says of its model besides tokens and weights, under GGUF's keys: which tokens begin
// and end a text, the chat template, how the authors sample.
#pragma once

#include <string>

#include "base/json.h"
#include "engine/gguf/gguf_header.h"
#include "engine/safetensors/tokenizer_json.h"

namespace confab::engine {

using base::Json;

// From tokenizer_config.json where there is one, then from config (config.json) and
// generation_config.json. Throws ModelError, as all of these.
void add_special_tokens(const std::string& folder, const Json& config,
                        const TokenizerJson& tokenizer, GgufHeader& keys);
// Of chat_template.jinja, chat_template.json or tokenizer_config.json, the first that has one.
void add_chat_template(const std::string& folder, GgufHeader& keys);
void add_sampling(const std::string& folder, GgufHeader& keys);

}  // namespace confab::engine
