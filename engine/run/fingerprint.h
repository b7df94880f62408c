// SPDX-License-Identifier: MIT
// What must be equal for stored token ids, or stored keys and values, to be used again.
#pragma once

#include <string>
#include <string_view>

#include "kernels/kernel_table.h"

namespace confab::engine {

class Gguf;
struct ContextPlan;
struct Model;

struct CacheTraits {
  std::string weights_digest;  // WeightsDigest's
  kernels::Isa isa{};
  bool exact = false;
  std::string device = {};  // with its driver; empty: the processor
};

// All that determines K and V but the tokens: contents of the model (never its name), RoPE in
// effect, cache types and layout, and how the arithmetic rounds. A line of readable text. The
// weights enter by their names, types and shapes and by the digest.
std::string cache_fingerprint(const Model& model, const ContextPlan& plan,
                              const CacheTraits& traits);

// Of the vocabulary with its rules and of the chat template: 16 hex digits.
std::string tokenizer_hash(const Gguf& gguf, std::string_view chat_template);

}  // namespace confab::engine
