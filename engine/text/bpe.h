// SPDX-License-Identifier: MIT
// Byte-level BPE (tokenizer.ggml.model = "gpt2"): a text is split into words by the rule that
// tokenizer.ggml.pre names, and the bytes of each word are merged. Source: Radford et al. 2019.
#pragma once

#include <memory>

#include "engine/text/fragment_encoder.h"
#include "engine/text/pre_tokenizer.h"
#include "engine/text/vocab.h"

namespace confab::engine {

// The rule that the file names. Throws ModelError when it names an unknown one.
const PreTokenizer& pre_tokenizer_of(const Gguf& gguf);

// `vocab` and `pre` must outlive the result. Throws ModelError.
std::unique_ptr<const FragmentEncoder> make_bpe_encoder(const Gguf& gguf, const Vocab& vocab,
                                                        const PreTokenizer& pre);

}  // namespace confab::engine
