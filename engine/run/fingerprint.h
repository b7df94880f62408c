// SPDX-License-Identifier: MIT
// What must be equal for stored token ids, or stored keys and values, to be used again; and
// the reading of the weights that it takes to know it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/weights_digest.h"
#include "kernels/kernel_table.h"

namespace confab::kernels {
class ThreadPool;
}

namespace confab::engine {

class BlockStore;
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

// Weights that have to be read once, all of them, before keys and values that are computed with
// them may be kept: they are known by their digest, never by a name. A store remembers it.
class UnreadWeights {
 public:
  // The references must outlive the object. traits: but for the digest.
  UnreadWeights(const Model& model, const ContextPlan& plan, CacheTraits traits,
                kernels::ThreadPool& pool);

  // Both tell the fingerprint of the cache as soon as it is known, and nullopt before. Empty: the
  // file may have changed since it was opened, so nothing can be known of it.
  //
  // If the store remembers the digest of this very file.
  std::optional<std::string> recall(BlockStore& store);
  // Reads some more: takes as long as a few tokens that read as much. The store remembers the
  // digest.
  std::optional<std::string> read(BlockStore& store);

  std::uint64_t bytes_done() const noexcept { return digest_.bytes_done(); }
  std::uint64_t n_bytes() const noexcept { return digest_.n_bytes(); }

 private:
  std::string fact_name() const;
  std::string fingerprint(std::string digest);

  const Model& model_;
  const ContextPlan& plan_;
  CacheTraits traits_;
  WeightsDigest digest_;
};

// The cache is told as soon as the fingerprint is known; then nothing is left to be read.
template <typename Cache>
void settle(Cache& cache, const std::optional<std::string>& fingerprint,
            std::optional<UnreadWeights>& unread) {
  if (!fingerprint) return;
  cache.set_fingerprint(*fingerprint);
  unread.reset();
}

}  // namespace confab::engine
