// SPDX-License-Identifier: MIT
// Finds what of a prompt need not be computed again: in the KV cache, else in the block store.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/block_store.h"
#include "engine/kv_cache.h"
#include "engine/tokenizer.h"

namespace confab::engine {

// Knows which tokens the positions of a KV cache stand for. Invariant: tokens().size() ==
// cache.n_tokens(), as long as all that runs tokens through the cache tells append().
class PrefixCache {
 public:
  // Fewer tokens than these are neither kept nor looked for: computing them is as fast.
  static constexpr int kMinTokens = 32;

  // The references must outlive the object; store may be nullptr, and is not used for a cache that
  // is not made of blocks alone.
  PrefixCache(KvCache& cache, BlockStore* store, std::string fingerprint);

  // Makes the cache hold the longest start of `prompt` that is known, but never all of it: the last
  // token has to be run for its logits. Returns how many tokens that is. The prompt must not be
  // empty, nor longer than the cache.
  int reuse(std::span<const Token> prompt);
  // Tokens that have just been run and committed. The end of a piece of a prompt is a point that a
  // cache with recurrent layers can go back to.
  void append(std::span<const Token> tokens) noexcept;
  // Gives the store what it does not have yet: full blocks, and the start of a block that is worth
  // it. What it drops is not offered again.
  void keep();
  void clear() noexcept;
  // For whom the tokens are that follow: handed on to the store.
  void set_origin(std::int64_t origin) noexcept { origin_ = origin; }

  std::span<const Token> tokens() const noexcept { return tokens_; }
  int n_ctx() const noexcept { return cache_.n_ctx(); }

 private:
  void truncate(int n) noexcept;
  bool worth_a_search(int n_common, int n_wanted) const noexcept;
  void restore(std::span<const Token> wanted);

  KvCache& cache_;
  BlockStore* store_;
  std::string fingerprint_;
  std::vector<Token> tokens_ = {};  // never grows beyond its first capacity, n_ctx
  std::int64_t origin_ = 0;
  int n_kept_ = 0;  // the store was given, or gave, so many of them
};

}  // namespace confab::engine
