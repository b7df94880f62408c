// SPDX-License-Identifier: MIT
#include "sessions/kv_store.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <thread>
#include <utility>

#include "sessions/block_directory.h"
#include "sessions/block_file.h"
#include "sessions/block_writer.h"
#include "sessions/error.h"
#include "sessions/locked.h"

namespace confab::sessions {
namespace {

using Tokens = std::span<const std::int32_t>;

struct Job {
  BlockHead head;
  std::optional<BlockHead> parent;
  std::unique_ptr<std::byte[]> payload;
  std::size_t payload_bytes;
};

struct Shared {
  std::deque<Job> queue;
  bool busy = false;             // a job is being written
  std::size_t queued_bytes = 0;  // in the queue and in the job being written
  KvStoreStats stats;

  bool is_idle() const { return queue.empty() && !busy; }
};

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

// The last block of `tokens`, named by all blocks before it.
Job make_job(std::string_view fingerprint, int block_tokens, Tokens tokens,
             std::span<const std::byte> payload) {
  const auto n_block = static_cast<std::size_t>(block_tokens);
  const auto take = [&] {
    const Tokens ids = tokens.first(std::min(n_block, tokens.size()));
    tokens = tokens.subspan(ids.size());
    return ids;
  };
  BlockHead head = first_head(fingerprint, block_tokens, take());
  std::optional<BlockHead> parent;
  while (!tokens.empty()) parent = std::exchange(head, next_head(head, take()));
  auto copy = std::make_unique_for_overwrite<std::byte[]>(payload.size());
  std::ranges::copy(payload, copy.get());
  return {std::move(head), std::move(parent), std::move(copy), payload.size()};
}

int common_prefix(Tokens a, Tokens b) {
  return static_cast<int>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

struct KvStore::Impl {
  explicit Impl(KvStoreOptions opts)
      : options(std::move(opts)),
        directory(options.directory),
        thread([this](const std::stop_token& stop) { write_until(stop); }) {}

  void write_until(const std::stop_token& stop);
  void write(BlockWriter& writer, const Job& job);
  // A child of `parent` with exactly this head, verified; counts and removes what is damaged.
  std::optional<KvBlock> full_block(const BlockHead& head);
  std::optional<KvBlock> partial_block(const BlockKey& root, const BlockKey& parent, int index,
                                       Tokens tokens);
  std::optional<KvBlock> verify(const BlockFile& file, const BlockName& name, int n_tokens);
  void discard(const BlockName& name);

  const KvStoreOptions options;
  const BlockDirectory directory;
  Locked<Shared> shared;
  std::jthread thread;  // last: stops before what it uses is destroyed
};

void KvStore::Impl::write_until(const std::stop_token& stop) {
  BlockWriter writer(directory, {options.max_bytes, options.min_free_bytes});
  for (;;) {
    shared.wait(stop, [](const Shared& s) { return !s.queue.empty(); });
    if (stop.stop_requested()) return;
    const Job job = shared.with([](Shared& s) {
      Job next = std::move(s.queue.front());
      s.queue.pop_front();
      s.busy = true;
      return next;
    });
    write(writer, job);
    shared.with([&](Shared& s) {
      s.busy = false;
      s.queued_bytes -= job.payload_bytes;
      s.stats.blocks_evicted = writer.n_evicted();
    });
  }
}

// The top of the storage thread: what goes wrong below turns saving off, and is told by stats().
void KvStore::Impl::write(BlockWriter& writer, const Job& job) {
  std::string error;
  auto outcome = WriteOutcome::dropped;
  try {
    outcome = writer.write({job.head, job.parent, {job.payload.get(), job.payload_bytes}});
  } catch (const std::exception& e) {
    error = e.what();
  }
  shared.with([&](Shared& s) {
    s.stats.blocks_written += outcome == WriteOutcome::written;
    s.stats.blocks_dropped += outcome == WriteOutcome::dropped;
    if (error.empty()) return;
    s.stats.saving_off = error;
    s.stats.blocks_dropped += s.queue.size();
    for (const Job& waiting : s.queue) s.queued_bytes -= waiting.payload_bytes;
    s.queue.clear();
  });
}

void KvStore::Impl::discard(const BlockName& name) {
  directory.remove(name);
  shared.with([](Shared& s) { ++s.stats.blocks_damaged; });
}

std::optional<KvBlock> KvStore::Impl::verify(const BlockFile& file, const BlockName& name,
                                             int n_tokens) {
  auto block = file.map(n_tokens);
  if (!block) discard(name);
  return block;
}

std::optional<KvBlock> KvStore::Impl::full_block(const BlockHead& head) {
  const BlockName name = name_of(head);
  const BlockFile file(directory.path_of(name));
  if (file.status() == BlockStatus::ok && file.head() == head) {
    return verify(file, name, head.block_tokens);
  }
  const bool misplaced = file.status() == BlockStatus::ok && name_of(file.head()) != name;
  if (misplaced || file.status() == BlockStatus::damaged) discard(name);
  return std::nullopt;
}

// The child of `parent`, block or tail, that has the longest prefix in common with `tokens`.
std::optional<KvBlock> KvStore::Impl::partial_block(const BlockKey& root, const BlockKey& parent,
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
      discard(name);
    }
    if (file.status() != BlockStatus::ok || file.head().index != index) continue;
    const int n = common_prefix(file.head().tokens, tokens);
    if (n >= kMinPartialTokens) candidates.push_back({n, name});
  }
  std::ranges::sort(candidates, std::greater{}, &Candidate::n_tokens);
  for (const Candidate& candidate : candidates) {
    // Opened again: another program may have replaced it.
    const BlockFile file(directory.path_of(candidate.name));
    if (file.status() != BlockStatus::ok || name_of(file.head()) != candidate.name) continue;
    if (auto block = verify(file, candidate.name, candidate.n_tokens)) {
      directory.touch(candidate.name);
      return block;
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
  const auto fits = [&](const std::optional<KvBlock>& block) {
    return block && (found.empty() || block->payload().size() == found[0].payload().size());
  };
  while (tokens.size() >= n_block) {
    const Tokens ids = tokens.first(n_block);
    BlockHead head =
        last ? next_head(*last, ids) : first_head(fingerprint, impl_->options.block_tokens, ids);
    auto block = impl_->full_block(head);
    if (!fits(block)) break;
    found.push_back(*std::move(block));
    last = std::move(head);
    tokens = tokens.subspan(n_block);
  }
  // The last block used keeps those before it: eviction takes leaves first.
  if (last) impl_->directory.touch(name_of(*last));
  if (tokens.size() >= kMinPartialTokens) {
    auto block =
        impl_->partial_block(root, last ? last->key : root, last ? last->index + 1 : 0, tokens);
    if (fits(block)) found.push_back(*std::move(block));
  }
  impl_->shared.with([&](Shared& s) {
    s.stats.blocks_found += found.size();
    for (const KvBlock& block : found) {
      s.stats.tokens_found += static_cast<std::uint64_t>(block.n_tokens());
      s.stats.bytes_mapped += block.payload().size();
    }
  });
  return found;
}

void KvStore::keep(std::string_view fingerprint, std::span<const std::int32_t> tokens,
                   std::span<const std::byte> payload) {
  assert(!tokens.empty() && !payload.empty());
  const auto has_room = [&](Shared& s) {
    const bool room =
        s.stats.saving_off.empty() && s.queued_bytes + payload.size() <= impl_->options.queue_bytes;
    s.stats.blocks_dropped += !room;
    return room;
  };
  if (!impl_->shared.with(has_room)) return;
  Job job = make_job(fingerprint, impl_->options.block_tokens, tokens, payload);
  impl_->shared.with([&](Shared& s) {
    if (!has_room(s)) return;
    s.queued_bytes += payload.size();
    s.queue.push_back(std::move(job));
  });
}

bool KvStore::flush(std::chrono::milliseconds timeout) {
  return impl_->shared.wait_for(timeout, [](const Shared& s) { return s.is_idle(); });
}

KvStoreStats KvStore::stats() const {
  return impl_->shared.with([](Shared& s) { return s.stats; });
}

}  // namespace confab::sessions
