// SPDX-License-Identifier: MIT
// What several of Ollama's forms have otherwise in the keys of the tokenizer.
#pragma once

#include <string_view>

namespace confab::engine {

class Translation;

// Leaves out the tokens after the last row of the embeddings: those of pictures.
void cut_vocabulary(Translation& to);
// Names the rule by which text is cut, where the file says "default" or nothing.
void name_pre_tokenizer(Translation& to, std::string_view name);

}  // namespace confab::engine
