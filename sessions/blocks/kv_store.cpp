// SPDX-License-Identifier: MIT
#include "sessions/blocks/kv_store.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <utility>

#include "sessions/blocks/block_directory.h"
#include "sessions/blocks/block_file.h"
#include "sessions/blocks/block_writer.h"
#include "sessions/blocks/facts.h"
#include "sessions/locked.h"

namespace confab::sessions {
namespace {

using Tokens = std::span<const std::int32_t>;

BlockHead first_head(std::string_view fingerprint, int block_tokens, Tokens tokens) {
  const BlockKey root = root_key(fingerprint, block_tokens);
  return {.root = root,
          .parent = root,
          .key = child_key(root, tokens),
          .index = 0,
          .block_tokens = block_tokens,
          .tokens = {tokens.begin(), tokens.end()}};
}

BlockHead next_head(const BlockHead& head, Tokens tokens) {
  return {.root = head.root,
          .parent = head.key,
          .key = child_key(head.key, tokens),
          .index = head.index + 1,
          .block_tokens = head.block_tokens,
          .tokens = {tokens.begin(), tokens.end()}};
}

// All blocks of `tokens`; the last one may be a tail.
std::vector<BlockHead> heads_of(std::string_view fingerprint, int block_tokens, Tokens tokens) {
  std::vector<BlockHead> heads;
  while (!tokens.empty()) {
    const Tokens ids =
        tokens.first(std::min(static_cast<std::size_t>(block_tokens), tokens.size()));
    heads.push_back(heads.empty() ? first_head(fingerprint, block_tokens, ids)
                                  : next_head(heads.back(), ids));
    tokens = tokens.subspan(ids.size());
  }
  return heads;
}

int common_prefix(Tokens a, Tokens b) {
  return static_cast<int>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

struct KvStore::Impl {
  explicit Impl(KvStoreOptions opts)
      : options(std::move(opts)),
        directory(options.directory),
        storage(directory, {options.max_bytes, options.min_free_bytes}) {}

  BlockJob job(std::string_view fingerprint, Tokens tokens) const;
  // Returns the verified block with exactly this head. Counts and removes a damaged file.
  std::optional<KvBlock> full_block(const BlockHead& head);
  // Returns the child of `parent`, block or tail, that shares the longest prefix with `tokens`.
  struct Partial {
    KvBlock block;
    BlockName name;
  };
  std::optional<Partial> partial_block(const BlockKey& root, const BlockKey& parent, int index,
                                       Tokens tokens);
  std::optional<KvBlock> verify(const BlockFile& file, const BlockName& name, int n_tokens);
  void remove_damaged(const BlockName& name);

  const KvStoreOptions options;
  const BlockDirectory directory;
  std::atomic<std::int64_t> origin{0};
  Locked<KvStoreStats> stats;  // without those that `storage` counts
  Locked<std::optional<BlockName>> last_found;
  StorageThread storage;
};

// The job that writes the last block of `tokens`, without its bytes.
BlockJob KvStore::Impl::job(std::string_view fingerprint, Tokens tokens) const {
  std::vector<BlockHead> heads = heads_of(fingerprint, options.block_tokens, tokens);
  BlockJob out{.head = std::move(heads.back()), .parent = {}, .borrowed = {}, .segments = {}};
  out.origin = origin;
  if (heads.size() > 1) out.parent = std::move(heads[heads.size() - 2]);
  return out;
}

void KvStore::Impl::remove_damaged(const BlockName& name) {
  directory.remove(name);
  stats.with([](KvStoreStats& s) { ++s.blocks_damaged; });
}

std::optional<KvBlock> KvStore::Impl::verify(const BlockFile& file, const BlockName& name,
                                             int n_tokens) {
  auto block = n_tokens == options.block_tokens ? file.map(n_tokens) : file.read(n_tokens);
  if (!block) remove_damaged(name);
  return block;
}

std::optional<KvBlock> KvStore::Impl::full_block(const BlockHead& head) {
  const BlockName name = name_of(head);
  const BlockFile file(directory.path_of(name));
  if (file.status() == BlockStatus::ok && file.head() == head) {
    return verify(file, name, head.block_tokens);
  }
  const bool misplaced = file.status() == BlockStatus::ok && name_of(file.head()) != name;
  if (misplaced || file.status() == BlockStatus::damaged) remove_damaged(name);
  return std::nullopt;
}

std::optional<KvStore::Impl::Partial> KvStore::Impl::partial_block(const BlockKey& root,
                                                                   const BlockKey& parent,
                                                                   int index, Tokens tokens) {
  struct Candidate {
    int n_tokens;
    BlockName name;
  };
  std::vector<Candidate> candidates;
  for (const BlockName& name : directory.children(root, parent)) {
    const BlockFile file(directory.path_of(name));
    if (file.status() == BlockStatus::damaged ||
        (file.status() == BlockStatus::ok && name_of(file.head()) != name)) {
      remove_damaged(name);
    }
    if (file.status() != BlockStatus::ok || file.head().index != index) continue;
    const int n = common_prefix(file.head().tokens, tokens);
    if (n >= kMinPartialTokens) candidates.push_back({n, name});
  }
  std::ranges::sort(candidates, std::greater{}, &Candidate::n_tokens);
  for (const Candidate& candidate : candidates) {
    // Open the file again: another program may have replaced it.
    const BlockFile file(directory.path_of(candidate.name));
    if (file.status() != BlockStatus::ok || name_of(file.head()) != candidate.name) continue;
    if (auto block = verify(file, candidate.name, candidate.n_tokens)) {
      directory.touch(candidate.name);
      return Partial{*std::move(block), candidate.name};
    }
  }
  return std::nullopt;
}

KvStore::KvStore(KvStoreOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
KvStore::~KvStore() = default;

std::vector<KvBlock> KvStore::find(std::string_view fingerprint,
                                   std::span<const std::int32_t> tokens) {
  const auto n_block = static_cast<std::size_t>(impl_->options.block_tokens);
  const BlockKey root = root_key(fingerprint, impl_->options.block_tokens);
  std::vector<KvBlock> found;
  std::optional<BlockHead> last;
  while (tokens.size() >= n_block) {
    const Tokens ids = tokens.first(n_block);
    BlockHead head =
        last ? next_head(*last, ids) : first_head(fingerprint, impl_->options.block_tokens, ids);
    auto block = impl_->full_block(head);
    if (!block) break;
    found.push_back(*std::move(block));
    last = std::move(head);
    tokens = tokens.subspan(n_block);
  }
  std::optional<BlockName> deepest;
  if (last) deepest = name_of(*last);
  // Touching the last block keeps those before it: eviction takes leaves first.
  if (last) impl_->directory.touch(*deepest);
  if (tokens.size() >= kMinPartialTokens) {
    auto partial =
        impl_->partial_block(root, last ? last->key : root, last ? last->index + 1 : 0, tokens);
    if (partial) {
      found.push_back(std::move(partial->block));
      deepest = partial->name;
    }
  }
  impl_->storage.lease(root, deepest);
  impl_->last_found.with([&](std::optional<BlockName>& name) { name = deepest; });
  impl_->stats.with([&](KvStoreStats& s) {
    s.blocks_found += found.size();
    for (const KvBlock& block : found) {
      s.tokens_found += static_cast<std::uint64_t>(block.n_tokens());
    }
  });
  return found;
}

void KvStore::keep_block(std::string_view fingerprint, std::span<const std::int32_t> tokens,
                         const SegmentedBytes& payload, std::shared_ptr<const void> lender) {
  assert(!tokens.empty() && !payload.bytes.empty());
  assert(tokens.size() % static_cast<std::size_t>(impl_->options.block_tokens) == 0);
  BlockJob job = impl_->job(fingerprint, tokens);
  job.borrowed = payload.bytes;
  job.lender = std::move(lender);
  job.segments = {payload.segments.begin(), payload.segments.end()};
  impl_->storage.push(std::move(job));
}

void KvStore::keep_tail(std::string_view fingerprint, std::span<const std::int32_t> tokens,
                        std::vector<std::byte> payload, std::vector<std::uint64_t> segments) {
  assert(!payload.empty());
  assert(tokens.size() % static_cast<std::size_t>(impl_->options.block_tokens) != 0);
  BlockJob job = impl_->job(fingerprint, tokens);
  job.owned = std::move(payload);
  job.segments = std::move(segments);
  impl_->storage.push(std::move(job));
}

std::vector<WrittenBlock> KvStore::take_written() {
  return impl_->storage.take_written();
}

bool KvStore::release() {
  return impl_->storage.release();
}

void KvStore::discard(std::string_view fingerprint, std::span<const std::int32_t> tokens) {
  release();
  for (const BlockHead& head : heads_of(fingerprint, impl_->options.block_tokens, tokens)) {
    for (const BlockName& child : impl_->directory.children(head.root, head.parent)) {
      if (!child.full || child.key == head.key) impl_->directory.remove(child);
    }
  }
}

void KvStore::set_origin(std::int64_t origin) {
  impl_->origin = origin;
}

void KvStore::record(int n_wanted, int n_found, std::uint64_t bytes_mapped,
                     std::uint64_t bytes_copied) {
  const auto leaf = impl_->last_found.with([](std::optional<BlockName>& name) { return name; });
  const bool hit = n_found > 0 && leaf;
  impl_->storage.log({.time = use_time_now(),
                      .origin = impl_->origin,
                      .root = leaf ? leaf->root : BlockKey{},
                      .leaf = hit ? leaf->key : BlockKey{},
                      .parent = hit ? leaf->parent : BlockKey{},
                      .n_hits = hit ? 1U : 0U,
                      .n_misses = hit ? 0U : 1U,
                      .tokens_wanted = static_cast<std::uint64_t>(n_wanted),
                      .tokens_found = static_cast<std::uint64_t>(n_found),
                      .bytes_mapped = bytes_mapped,
                      .bytes_copied = bytes_copied});
}

std::optional<std::string> KvStore::recall_fact(std::string_view name) const {
  return recall(impl_->options.directory, name);
}

void KvStore::remember_fact(std::string_view name, std::string_view value) const noexcept {
  remember(impl_->options.directory, name, value);
}

bool KvStore::flush(std::chrono::milliseconds timeout) {
  return impl_->storage.flush(timeout);
}

KvStoreStats KvStore::stats() const {
  KvStoreStats stats = impl_->stats.with([](KvStoreStats& s) { return s; });
  StorageStats storage = impl_->storage.stats();
  stats.blocks_written = storage.blocks_written;
  stats.blocks_dropped = storage.blocks_dropped;
  stats.blocks_evicted = storage.blocks_evicted;
  stats.saving_off = std::move(storage.saving_off);
  return stats;
}

}  // namespace confab::sessions
