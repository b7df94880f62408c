// SPDX-License-Identifier: MIT
// Finds what of a prompt need not be computed again: in the KV cache, else in the block store.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/token.h"
#include "engine/cache/block_store.h"
#include "engine/cache/kv_cache.h"

namespace confab::engine {

// Knows which tokens the positions of a KV cache stand for. Invariant: tokens().size() ==
// cache.n_tokens(), as long as all that runs tokens through the cache tells append().
class PrefixCache {
 public:
  // Fewer tokens than these are neither kept nor looked for: computing them is as fast.
  static constexpr int kMinTokens = 32;

  // The references must outlive the object. store may be nullptr, and is not used for a cache that
  // is not made of blocks alone, nor before the fingerprint is known (not empty).
  PrefixCache(KvCache& cache, BlockStore* store, std::string fingerprint = {});
  ~PrefixCache();
  PrefixCache(const PrefixCache&) = delete;
  PrefixCache& operator=(const PrefixCache&) = delete;

  // What determines keys and values besides the tokens (fingerprint.h).
  void set_fingerprint(std::string fingerprint) { fingerprint_ = std::move(fingerprint); }
  // For whom the tokens are that follow: handed on to the store.
  void set_origin(std::int64_t origin);
  // Tokens that follow are nobody else's business: the store is not given them until it is said
  // that they are no secret.
  void set_secret(bool secret) noexcept { secret_ = secret; }

  // Makes the cache hold the longest start of `prompt` that is known, but never all of it: the last
  // token has to be run for its logits. Returns how many tokens that is. The prompt must not be
  // empty, nor longer than the cache. Throws ModelError as KvCache::make_room() does.
  int reuse(std::span<const Token> prompt);
  // Tokens that have just been run and committed. The end of a piece of a prompt is a point that a
  // cache with recurrent layers can go back to. Full blocks are given to the store.
  void append(std::span<const Token> tokens);
  // The same of the first n_right of them; those after them are forgotten. Not with recurrent
  // layers, unless all are right.
  void append_first(int n_right, std::span<const Token> tokens);
  // Gives the store what it does not have yet: full blocks, and the start of a block that is worth
  // it. What it drops is not offered again. What cannot be kept, because there is no memory, costs
  // time only: it is computed again.
  void keep() noexcept;
  // To be asked after each run of tokens, before append(). When memory of the cache was lost, the
  // run is void; the tokens returned have to be run again first, which the cache no longer has.
  std::optional<std::vector<Token>> drop_lost();
  void clear() noexcept;
  // Clears it, and has the store forget these tokens as well: what was computed with them is wrong.
  void discard();

  std::span<const Token> tokens() const noexcept { return tokens_; }
  int n_ctx() const noexcept { return cache_.n_ctx(); }
  KvCache& cache() noexcept { return cache_; }

 private:
  bool has_store() const noexcept { return store_ != nullptr && !fingerprint_.empty(); }
  void truncate(int n);
  bool worth_a_search(int n_common, int n_wanted) const noexcept;
  void restore(std::span<const Token> wanted);
  void keep_blocks();
  void keep_tail();
  void map_written();

  KvCache& cache_;
  BlockStore* store_;
  std::string fingerprint_;
  std::vector<Token> tokens_ = {};  // never grows beyond its first capacity, n_ctx
  bool secret_ = false;
  int n_kept_ = 0;    // the store was given, or gave, so many of them
  int n_losses_ = 0;  // of memory
};

}  // namespace confab::engine
