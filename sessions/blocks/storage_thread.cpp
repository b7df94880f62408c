// SPDX-License-Identifier: MIT
#include "sessions/blocks/storage_thread.h"

#include <exception>
#include <utility>

namespace confab::sessions {
namespace {

// Most bytes of tails that may wait. Each turn adds one tail, so only a disk that has been stuck
// for many turns reaches this.
constexpr std::size_t kMaxOwnedBytes = std::size_t{64} << 20;

// How long the disk may take to accept one block. If it hangs longer, the block's memory stays in
// use.
constexpr std::chrono::seconds kMaxWait{1};

}  // namespace

StorageThread::StorageThread(const BlockDirectory& directory, BlockBudget budget)
    : directory_(directory),
      budget_(budget),
      use_log_(directory.path()),
      thread_(base::stack::kUsual, [this](const std::stop_token& stop) { write_until(stop); }) {}

StorageThread::~StorageThread() = default;

void StorageThread::log(const Use& use) {
  shared_.with([&](Shared& s) { s.uses.push_back(use); });
}

void StorageThread::lease(const BlockKey& root, const std::optional<BlockName>& deepest) {
  BlockLease lease = deepest ? BlockLease(directory_.path_of(*deepest)) : BlockLease();
  shared_.with([&](Shared& s) { s.leases[root] = std::move(lease); });
}

void StorageThread::push(BlockJob job) {
  shared_.with([&](Shared& s) {
    if (!s.stats.saving_off.empty() || s.owned_bytes + job.owned.size() > kMaxOwnedBytes) {
      ++s.stats.blocks_dropped;
      return;
    }
    s.owned_bytes += job.owned.size();
    s.queue.push_back(std::make_unique<BlockJob>(std::move(job)));
  });
}

std::vector<WrittenBlock> StorageThread::take_written() {
  return shared_.with([](Shared& s) { return std::exchange(s.written, {}); });
}

bool StorageThread::release() {
  const auto is_borrowed = [](const std::unique_ptr<BlockJob>& job) { return job->owned.empty(); };
  const bool any = shared_.with([&](Shared& s) {
    const std::size_t n_dropped = std::erase_if(s.queue, is_borrowed);
    const bool held = n_dropped > 0 || !s.written.empty() || s.is_busy;
    s.stats.blocks_dropped += n_dropped;
    s.written.clear();
    s.busy_released = s.is_busy;
    return held;
  });
  shared_.wait_for(kMaxWait, [](const Shared& s) { return !s.is_busy; });
  return any;
}

bool StorageThread::flush(std::chrono::milliseconds timeout) {
  return shared_.wait_for(timeout, [](const Shared& s) { return s.is_idle(); });
}

StorageStats StorageThread::stats() const {
  return shared_.with([](Shared& s) { return s.stats; });
}

void StorageThread::write_until(const std::stop_token& stop) {
  BlockWriter writer(directory_, budget_);
  for (;;) {
    shared_.wait(stop, [](const Shared& s) { return !s.is_idle(); });
    write_uses();
    if (stop.stop_requested()) return;
    const auto job = shared_.with([](Shared& s) {
      std::unique_ptr<BlockJob> next;
      if (s.queue.empty()) return next;  // released in the meantime
      next = std::move(s.queue.front());
      s.queue.pop_front();
      s.owned_bytes -= next->owned.size();
      s.is_busy = true;
      s.busy_released = false;
      return next;
    });
    if (!job) continue;
    write(writer, *job);
    job->lender.reset();
    shared_.with([&](Shared& s) {
      s.is_busy = false;
      s.stats.blocks_evicted = writer.n_evicted();
    });
  }
}

// Uses count as waiting until they have been written.
void StorageThread::write_uses() {
  const std::vector<Use> uses = shared_.with([](Shared& s) { return s.uses; });
  for (const Use& use : uses) use_log_.append(use);
  shared_.with([&](Shared& s) {
    s.uses.erase(s.uses.begin(), s.uses.begin() + static_cast<std::ptrdiff_t>(uses.size()));
  });
}

// Throws StoreError as BlockWriter::write() does.
StorageThread::Written StorageThread::write_block(BlockWriter& writer, const BlockJob& job) {
  std::string trailer = encode_trailer(job.head, {job.payload(), job.segments});
  Written written{.outcome =
                      writer.write({job.head, job.parent, job.payload(), std::move(trailer)})};
  if (written.outcome == WriteOutcome::dropped) return written;
  const auto path = directory_.path_of(name_of(job.head));
  written.lease = BlockLease(path);
  if (!job.owned.empty() || !KvBlock::can_move()) return written;
  const BlockFile file(path);
  if (file.status() == BlockStatus::ok && file.head() == job.head) {
    written.block = file.map(job.head.block_tokens);
  }
  return written;
}

// The top level of this thread: a failure below turns saving off, and stats() reports it.
void StorageThread::write(BlockWriter& writer, const BlockJob& job) {
  std::string error;
  Written written;
  try {
    written = write_block(writer, job);
  } catch (const std::exception& e) {
    error = e.what();
  }
  shared_.with([&](Shared& s) {
    const bool there = written.outcome != WriteOutcome::dropped;
    s.stats.blocks_written += written.outcome == WriteOutcome::written;
    s.stats.blocks_dropped += !there;
    if (there) {
      s.uses.push_back({.time = use_time_now(),
                        .origin = job.origin,
                        .root = job.head.root,
                        .leaf = job.head.key,
                        .parent = job.head.parent,
                        .n_kept = 1});
      s.leases[job.head.root] = std::move(written.lease);
    }
    if (written.block && !s.busy_released) {
      s.written.push_back({job.lender, *std::move(written.block)});
    }
    if (!error.empty()) s.turn_off(error);
  });
}

void StorageThread::Shared::turn_off(const std::string& error) {
  stats.saving_off = error;
  stats.blocks_dropped += queue.size();
  queue.clear();
  owned_bytes = 0;
}

}  // namespace confab::sessions
