// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace confab::engine {

// Takes out the spaces before ?!., and before 's 'm 're 've, and those around a lone apostrophe.
// Source: clean_up_tokenization() of Hugging Face transformers, with the bounds that llama.cpp's
// detokenize() gives it (src/llama-vocab.cpp).
std::string clean_spaces(const std::string& text);

}  // namespace confab::engine
