// SPDX-License-Identifier: MIT
// Finds what of a prompt need not be computed again: in the sequences that are there, else in the
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

// How many tokens both begin with.
int common_prefix(std::span<const Token> a, std::span<const Token> b) noexcept;

// For whom a sequence is.
struct SequenceUse {
  std::int64_t origin = 0;  // GenerateRequest's
  // Its tokens are nobody else's business: the store is not given them.
  bool secret = false;
};

// A sequence and what the store has of it.
struct CachedSequence {
  std::unique_ptr<Sequence> sequence;
  SequenceUse use = {};
  int n_kept = 0;  // the store was given, or gave, so many of its tokens
};

class PrefixCache {
 public:
  // Fewer tokens than these are neither kept nor looked for: computing them is as fast.
  static constexpr int kMinTokens = 32;
  // Sequences that nobody writes to are kept for the next prompts that begin as they do, the last
  // ones; of a decoder that remembers more than blocks, one.
  static constexpr std::size_t kMaxIdle = 8;

  // The references must outlive the object. store may be nullptr, and is not used for a decoder
  // whose sequences are not made of blocks alone, nor before the fingerprint is known (not empty).
  // Several caches may share it, on one thread.
  PrefixCache(Decoder& decoder, BlockStore* store, std::string fingerprint = {});
  ~PrefixCache();
  PrefixCache(const PrefixCache&) = delete;
  PrefixCache& operator=(const PrefixCache&) = delete;

  // What determines keys and values besides the tokens (fingerprint.h).
  void set_fingerprint(std::string fingerprint) { fingerprint_ = std::move(fingerprint); }

  // A sequence that holds the longest start of `prompt` that is known, but never all of it: the
  // last token has to be run for its logits. It is idle no more, or a fork of one that is in use.
  // The prompt must not be empty, nor longer than a sequence may be. Throws ModelError.
  CachedSequence& begin(std::span<const Token> prompt, SequenceUse use);
  // Tokens of it have just been run. The end of a piece of a prompt is a point that a sequence with
  // recurrent layers can go back to. Full blocks are given to the store.
  void grown(CachedSequence& cached, bool checkpoint);
  // Forgets its tokens after the first n. Returns how many are left.
  int truncate(CachedSequence& cached, int n);
  // It is idle from now on. The store is given what it does not have yet: full blocks, and the
  // start of a block that is worth it. What it drops is not offered again.
  void end(CachedSequence& cached) noexcept;
  // It is gone: what was computed is not to be used again.
  void drop(CachedSequence& cached) noexcept;
  // The same, and the store forgets its tokens as well: what was computed with them is wrong.
  void discard(CachedSequence& cached);
  // The store forgets its tokens, and so does the sequence.
  void forget(CachedSequence& cached);
  // A pass of sequences in use, as Decoder::run(): where there are too few pages, those of
  // sequences that nobody uses go, and blocks are not kept. Throws OutOfPages when all are in use,
  // ModelError.
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int il)> go_on);
  // Who gives up sequences in use for the pages that others lack, when nothing else can; it returns
  // whether it had any. nullptr: nobody. Asked by run() and begin().
  void on_shortage(std::function<bool()> give_up) { give_up_ = std::move(give_up); }
  // What no sequence is in use for is forgotten.
  void clear() noexcept { idle_.clear(); }
  // The same, but for the sequence that was used last.
  void keep_last() noexcept {
    if (!idle_.empty()) idle_.resize(1);
  }

  int n_ctx() const noexcept { return decoder_.n_ctx(); }
  Decoder& decoder() noexcept { return decoder_; }
  // The sequence that was used last and is idle; nullptr: none is.
  const Sequence* last() const noexcept;

 private:
  using Cached = std::unique_ptr<CachedSequence>;
  bool has_store() const noexcept { return store_ != nullptr && !fingerprint_.empty(); }
  bool may_keep(const CachedSequence& cached) const noexcept {
    return has_store() && !cached.use.secret;
  }
  struct Choice {
    Cached cached;
    bool goes_on;  // nothing that was known is left out
  };
  Choice choose(std::span<const Token> wanted);
  std::size_t max_idle() const noexcept { return decoder_.is_made_of_blocks() ? kMaxIdle : 1; }
  Cached take_out(const CachedSequence& cached);
  bool worth_a_search(bool goes_on, int n_common, int n_wanted) const noexcept;
  void restore(CachedSequence& cached, std::span<const Token> wanted);
  // f(), again and again while there are too few pages and some can be made free.
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
  std::deque<Cached> idle_ = {};  // that which was used last is the first
  std::function<bool()> give_up_ = nullptr;
};

}  // namespace confab::engine
