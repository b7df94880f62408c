// SPDX-License-Identifier: MIT
#include "engine/cache/prefix_cache.h"

#include <algorithm>
#include <cassert>
#include <exception>

#include "engine/cache/page_pool.h"

namespace confab::engine {
namespace {

std::span<const Token> first(std::span<const Token> tokens, int n) noexcept {
  return tokens.first(static_cast<std::size_t>(n));
}

}  // namespace

int common_prefix(std::span<const Token> a, std::span<const Token> b) noexcept {
  return static_cast<int>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// The owner of a block lent to the store. Whichever cache gets the block back, it belongs to this
// decoder.
struct PrefixCache::Lent {
  Decoder& decoder;
  std::shared_ptr<const void> owner;
};

PrefixCache::PrefixCache(Decoder& decoder, BlockStore* store, std::string fingerprint)
    : decoder_(decoder),
      store_(decoder.is_made_of_blocks() ? store : nullptr),
      fingerprint_(std::move(fingerprint)) {}

PrefixCache::~PrefixCache() {
  if (store_ != nullptr) store_->settle();
}

const Sequence* PrefixCache::last() const noexcept {
  return idle_.empty() ? nullptr : idle_.front()->sequence.get();
}

// Chooses the sequence with most of the wanted tokens, cut to those. A sequence that is in use, or
// has many other tokens that may be wanted again, is forked.
PrefixCache::Choice PrefixCache::choose(std::span<const Token> wanted) {
  const auto n_common = [&](const Cached& cached) {
    const Sequence& sequence = *cached->sequence;
    return sequence.n_left(common_prefix(sequence.tokens(), wanted));
  };
  const auto idle = std::ranges::max_element(idle_, std::ranges::less(), n_common);
  const auto used = std::ranges::max_element(in_use_, std::ranges::less(), n_common);
  const int n_idle = idle == idle_.end() ? 0 : n_common(*idle);
  const int n_used = used == in_use_.end() ? 0 : n_common(*used);
  const auto fork_of = [](const Cached& cached, int n) {
    auto fork = std::make_unique<CachedSequence>(CachedSequence{cached->sequence->fork(n)});
    fork->n_kept = std::min(cached->n_kept, fork->sequence->n_tokens());
    return fork;
  };
  if (n_used > n_idle) return {fork_of(*used, n_used), n_used == (*used)->sequence->n_tokens()};
  const bool may_add = idle_.size() < max_idle();
  if (idle == idle_.end() || (n_idle == 0 && may_add))
    return {std::make_unique<CachedSequence>(CachedSequence{decoder_.make_sequence()}),
            idle == idle_.end()};
  const int n_besides = (*idle)->sequence->n_tokens() - n_idle;
  if (n_besides >= kMinTokens && may_add) return {fork_of(*idle, n_idle), false};
  Cached cached = std::move(*idle);
  idle_.erase(idle);
  truncate(*cached, n_idle);
  return {std::move(cached), n_besides == 0};
}

CachedSequence& PrefixCache::begin(std::span<const Token> prompt, SequenceUse use) {
  assert(!prompt.empty() && prompt.size() <= static_cast<std::size_t>(n_ctx()));
  map_written();
  const std::span<const Token> wanted = prompt.first(prompt.size() - 1);
  Choice choice = choose(wanted);
  CachedSequence& cached = *in_use_.emplace_back(std::move(choice.cached));
  cached.use = use;
  const int n_common = cached.sequence->n_tokens();
  try {
    if (worth_a_search(choice.goes_on, n_common, static_cast<int>(wanted.size())))
      restore(cached, wanted);
  } catch (...) {
    drop(cached);
    throw;
  }
  return cached;
}

void PrefixCache::grown(CachedSequence& cached, bool checkpoint) {
  if (checkpoint) cached.sequence->checkpoint();
  if (cached.n_kept / kBlockTokens != cached.sequence->n_tokens() / kBlockTokens)
    keep_blocks(cached);
}

// A mapped block came from the store already. A block that is not whole cannot be kept; this
// happens if the store became usable too late, and then the blocks after it are useless too.
void PrefixCache::keep_blocks(CachedSequence& cached) {
  if (!may_keep(cached)) return;
  const std::span<const Token> tokens = cached.sequence->tokens();
  const int n_full = cached.sequence->n_tokens() / kBlockTokens;
  store_->set_origin(cached.use.origin);
  for (int i = cached.n_kept / kBlockTokens; i < n_full; ++i) {
    cached.n_kept = (i + 1) * kBlockTokens;
    if (cached.sequence->is_stored(i)) continue;
    if (!cached.sequence->is_whole(i)) {
      cached.n_kept = n_ctx();
      return;
    }
    BlockPayload payload = cached.sequence->block(i);
    if (payload.bytes.empty()) {
      cached.n_kept = n_ctx();
      return;
    }
    payload.owner = std::make_shared<const Lent>(Lent{decoder_, std::move(payload.owner)});
    store_->keep_block(fingerprint_, first(tokens, cached.n_kept), payload);
  }
  map_written();
}

void PrefixCache::keep_tail(CachedSequence& cached) {
  const int n_tokens = cached.sequence->n_tokens(), n_tail = n_tokens % kBlockTokens;
  if (!may_keep(cached) || cached.n_kept >= n_tokens || n_tail < kMinTokens) return;
  cached.n_kept = n_tokens;
  std::vector<std::byte> rows = cached.sequence->packed_rows(n_tokens / kBlockTokens, n_tail);
  if (rows.empty()) return;
  store_->set_origin(cached.use.origin);
  store_->keep_tail(fingerprint_, cached.sequence->tokens(), std::move(rows),
                    cached.sequence->segments(n_tail));
}

// Between two passes nobody reads the memory that is replaced.
void PrefixCache::map_written() {
  if (store_ == nullptr) return;
  for (WrittenBlock& written : store_->take_written()) {
    auto lent = std::static_pointer_cast<const Lent>(std::move(written.owner));
    Decoder& decoder = lent->decoder;
    written.owner = lent->owner;
    lent.reset();
    decoder.replace(written);
  }
}

PrefixCache::Cached PrefixCache::take_out(const CachedSequence& cached) {
  const auto used = std::ranges::find(in_use_, &cached, [](const Cached& c) { return c.get(); });
  assert(used != in_use_.end());
  Cached out = std::move(*used);
  in_use_.erase(used);
  return out;
}

// If memory is too short to keep something, that only costs time later.
void PrefixCache::end(CachedSequence& cached) noexcept {
  try {
    keep_blocks(cached);
    keep_tail(cached);
  } catch (const std::exception&) {
  }
  idle_.push_front(take_out(cached));
  if (idle_.size() > max_idle()) idle_.pop_back();
}

void PrefixCache::drop(CachedSequence& cached) noexcept {
  take_out(cached);
}

void PrefixCache::forget(CachedSequence& cached) {
  if (has_store()) store_->discard(fingerprint_, cached.sequence->tokens());
  truncate(cached, 0);
}

void PrefixCache::discard(CachedSequence& cached) {
  forget(cached);
  drop(cached);
}

void PrefixCache::lost() noexcept {
  const auto cut = [](const Cached& cached) {
    cached->n_kept = std::min(cached->n_kept, cached->sequence->n_tokens());
  };
  std::ranges::for_each(in_use_, cut);
  std::ranges::for_each(idle_, cut);
}

int PrefixCache::truncate(CachedSequence& cached, int n) {
  n = cached.sequence->truncate(n);
  cached.n_kept = std::min(cached.n_kept, n);
  return n;
}

template <typename F>
auto PrefixCache::with_room(const F& f) {
  for (;;) {
    try {
      return f();
    } catch (const OutOfPages&) {
      if (!free_pages()) throw;
    }
  }
}

RunEnd PrefixCache::run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) {
  const RunEnd end = with_room([&] { return decoder_.run(runs, go_on); });
  if (end == RunEnd::lost) lost();
  return end;
}

// Returns false if all pages belong to sequences in use.
bool PrefixCache::free_pages() noexcept {
  if (!idle_.empty()) {
    idle_.pop_back();
    return true;
  }
  if (store_ != nullptr && store_->release()) return true;
  return give_up_ && give_up_();
}

// The store verifies everything it finds, which takes time. So it is asked only when it probably
// knows more than memory: at the start, after a change of conversation, or when much has been
// added.
bool PrefixCache::worth_a_search(bool goes_on, int n_common, int n_wanted) const noexcept {
  if (!has_store() || n_wanted - n_common < kMinTokens) return false;
  return !goes_on || n_common == 0 || n_wanted - n_common >= kBlockTokens;
}

// The last, partly filled block is only replaced by one that holds more of the wanted tokens. If
// rows before it are gone, it continues from those that are left.
void PrefixCache::restore(CachedSequence& cached, std::span<const Token> wanted) {
  store_->set_origin(cached.use.origin);
  const auto blocks = store_->find(fingerprint_, wanted);
  const int n_wanted = static_cast<int>(wanted.size());
  BlockUse use{.n_wanted = n_wanted};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    StoredBlock& block = *blocks[i];
    const int begin = static_cast<int>(i) * kBlockTokens;
    const int n = std::min({block.n_tokens(), kBlockTokens, n_wanted - begin});
    if (n <= 0) break;
    if (begin + n <= cached.sequence->n_tokens()) continue;  // already in memory
    if (const int n_left = truncate(cached, begin); n_left < begin) {
      i = static_cast<std::size_t>(n_left / kBlockTokens) - 1;  // that block is read next
      continue;
    }
    const auto more = wanted.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(n));
    const std::size_t n_bytes = block.payload().size();
    const auto copied = with_room([&] { return cached.sequence->restore(block, more); });
    if (!copied) break;
    (*copied == 0 ? use.bytes_mapped : use.bytes_copied) += *copied == 0 ? n_bytes : *copied;
    cached.n_kept = begin + n;
    use.n_found = cached.n_kept;
    if (n < kBlockTokens) break;
  }
  store_->record(use);
}

}  // namespace confab::engine
