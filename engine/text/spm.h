// SPDX-License-Identifier: MIT
// SentencePiece's BPE model (tokenizer.ggml.model = "llama"). Starting from characters, it
// repeatedly merges the neighbours whose concatenation is the token with the highest score. Symbols
// that are not tokens in the end are written as bytes. Source: Kudo and Richardson 2018.
#pragma once

#include <memory>

#include "engine/text/tokenizer.h"
#include "engine/text/vocab.h"

namespace confab::engine {

// `vocab` must outlive the result. Throws ModelError.
std::unique_ptr<const FragmentEncoder> make_spm_encoder(const Gguf& gguf, const Vocab& vocab);

}  // namespace confab::engine
