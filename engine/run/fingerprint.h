// SPDX-License-Identifier: MIT
// The conditions under which stored token ids, or stored keys and values, may be used again. One of
// them is a digest of all weights, which must be read for it.
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
  std::string weights_digest;  // from WeightsDigest
  kernels::Isa isa{};
  bool exact = false;
  std::string device = {};  // includes its driver; empty for the processor
};

// Everything except the tokens that determines K and V: the contents of the model (never its name),
// the RoPE in effect, cache types and layout, and how the arithmetic rounds. One line of readable
// text. Weights are covered by their names, types, shapes and digest.
std::string cache_fingerprint(const Model& model, const ContextPlan& plan,
                              const CacheTraits& traits);

// Covers the vocabulary with its rules and the chat template. 16 hex digits.
std::string tokenizer_hash(const Gguf& gguf, std::string_view chat_template);

// Reads all weights of a file once. Keys and values may only be kept after that, because a file is
// identified by the digest of its weights, never by its name. A store remembers the digest.
class UnreadWeights {
 public:
  // The references must outlive the object. `traits` has everything but the digest.
  UnreadWeights(const Model& model, const ContextPlan& plan, CacheTraits traits,
                kernels::ThreadPool& pool);

  // recall() and read() return the cache's fingerprint once it is known, and nullopt before. It is
  // empty if the file may have changed since it was opened, because then nothing is known about its
  // contents.
  //
  // Looks in the store for the digest of this very file.
  std::optional<std::string> recall(BlockStore& store);
  // Reads another piece, which takes as long as a few tokens that read as much. The store then
  // remembers the digest.
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

// Passes the fingerprint to the cache once it is known. Nothing is left to be read then.
template <typename Cache>
void settle(Cache& cache, const std::optional<std::string>& fingerprint,
            std::optional<UnreadWeights>& unread) {
  if (!fingerprint) return;
  cache.set_fingerprint(*fingerprint);
  unread.reset();
}

}  // namespace confab::engine
