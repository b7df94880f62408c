// SPDX-License-Identifier: MIT
// Finds the part of a prompt that need not be computed again, in existing sequences or else in the
// block store.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/token.h"
#include "engine/cache/block_store.h"
#include "engine/cache/decoder.h"

namespace confab::engine {

// Length of the longest common prefix.
int common_prefix(std::span<const Token> a, std::span<const Token> b) noexcept;

// The purpose of a sequence.
struct SequenceUse {
  std::int64_t origin = 0;  // GenerateRequest::origin
  // Its tokens are private and are not passed to the store.
  bool secret = false;
};

// A sequence, and how much of it is in the store.
struct CachedSequence {
  std::unique_ptr<Sequence> sequence;
  SequenceUse use = {};
  int n_kept = 0;  // how many of its tokens came from the store or were passed to it
};

class PrefixCache {
 public:
  // Shorter prefixes are neither kept nor looked up, because computing them is as fast.
  static constexpr int kMinTokens = 32;
  // How many idle sequences are kept for later prompts with the same start. Only one if the decoder
  // remembers more than blocks.
  static constexpr std::size_t kMaxIdle = 8;

  // The references must outlive the object. `store` may be nullptr. It is not used if the decoder's
  // sequences consist of more than blocks, or until the fingerprint is known (not empty). Several
  // caches on one thread may share a store.
  PrefixCache(Decoder& decoder, BlockStore* store, std::string fingerprint = {});
  ~PrefixCache();
  PrefixCache(const PrefixCache&) = delete;
  PrefixCache& operator=(const PrefixCache&) = delete;

  // Everything besides the tokens that determines keys and values (fingerprint.h).
  void set_fingerprint(std::string fingerprint) { fingerprint_ = std::move(fingerprint); }

  // Returns a sequence with the longest known prefix of `prompt`, but never all of it, because the
  // last token must be run for its logits. It is an idle sequence, which is then in use, or a fork.
  // The prompt must not be empty or longer than a sequence may be. Throws ModelError.
  CachedSequence& begin(std::span<const Token> prompt, SequenceUse use);
  // Call it after tokens of the sequence were run. With `checkpoint`, which marks the end of a
  // piece of a prompt, a sequence with recurrent layers can later go back to this point. Full
  // blocks are passed to the store.
  void grown(CachedSequence& cached, bool checkpoint);
  // Forgets the tokens after the first n. Returns how many are left.
  int truncate(CachedSequence& cached, int n);
  // The sequence becomes idle. The store receives what it does not have yet: full blocks, and the
  // start of a block if it is long enough. Blocks that the store drops are not offered again.
  void end(CachedSequence& cached) noexcept;
  // Removes the sequence; what it computed is not used again.
  void drop(CachedSequence& cached) noexcept;
  // Like drop(), and the store forgets its tokens too, because what was computed with them is
  // wrong.
  void discard(CachedSequence& cached);
  // Empties the sequence, and the store forgets its tokens.
  void forget(CachedSequence& cached);
  // Runs a pass of sequences in use, like Decoder::run(). If there are too few pages, idle
  // sequences are dropped and blocks lent to the store are taken back. Throws OutOfPages if all
  // pages are in use, and ModelError.
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int il)> go_on);
  // Sets a last resort for run() and begin() when pages run out. It gives up sequences in use and
  // returns whether it had any. May be nullptr.
  void on_shortage(std::function<bool()> give_up) { give_up_ = std::move(give_up); }
  // Forgets all idle sequences.
  void clear() noexcept { idle_.clear(); }
  // Forgets all idle sequences except the one used last.
  void keep_last() noexcept {
    if (!idle_.empty()) idle_.resize(1);
  }

  int n_ctx() const noexcept { return decoder_.n_ctx(); }
  Decoder& decoder() noexcept { return decoder_; }
  // The idle sequence that was used last; nullptr if none is idle.
  const Sequence* last() const noexcept;

 private:
  using Cached = std::unique_ptr<CachedSequence>;
  bool has_store() const noexcept { return store_ != nullptr && !fingerprint_.empty(); }
  bool may_keep(const CachedSequence& cached) const noexcept {
    return has_store() && !cached.use.secret;
  }
  struct Choice {
    Cached cached;
    bool goes_on;  // nothing known was left out
  };
  Choice choose(std::span<const Token> wanted);
  std::size_t max_idle() const noexcept { return decoder_.is_made_of_blocks() ? kMaxIdle : 1; }
  Cached take_out(const CachedSequence& cached);
  bool worth_a_search(bool goes_on, int n_common, int n_wanted) const noexcept;
  void restore(CachedSequence& cached, std::span<const Token> wanted);
  // Calls f() again and again while there are too few pages and some can be freed.
  template <typename F>
  auto with_room(const F& f);
  bool free_pages() noexcept;
  void lost() noexcept;
  struct Lent;
  void keep_blocks(CachedSequence& cached);
  void keep_tail(CachedSequence& cached);
  void map_written();

  Decoder& decoder_;
  BlockStore* store_;
  std::string fingerprint_;
  std::vector<Cached> in_use_ = {};
  std::deque<Cached> idle_ = {};  // most recently used first
  std::function<bool()> give_up_ = nullptr;
};

}  // namespace confab::engine
