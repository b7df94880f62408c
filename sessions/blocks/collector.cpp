// SPDX-License-Identifier: MIT
#include "sessions/blocks/collector.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <chrono>
#include <queue>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "sessions/blocks/block_lease.h"
#include "sessions/blocks/block_tree.h"
#include "sessions/blocks/facts.h"
#include "sessions/fd.h"

namespace confab::sessions {
namespace {

using Node = BlockTree::Node;

struct EvictLater {
  bool operator()(const Node* a, const Node* b) const noexcept {
    return std::tuple(a->file->used, -a->depth) > std::tuple(b->file->used, -b->depth);
  }
};

constexpr std::uint64_t kMaxBytes = std::uint64_t{8} << 30;
constexpr std::uint64_t kMaxShare = 10;      // one part in this many of the file system
constexpr std::uint64_t kMinFreeShare = 20;  //
constexpr std::uint64_t kSlackShare = 16;    // part of the budget that is evicted in addition
constexpr auto kFactLife = std::chrono::hours(90 * 24);

struct Space {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};

Space space_of(const std::filesystem::path& directory) noexcept {
  struct statvfs status {};
  if (::statvfs(directory.c_str(), &status) != 0) return {};
  return {.total = std::uint64_t{status.f_blocks} * status.f_frsize,
          .available = std::uint64_t{status.f_bavail} * status.f_frsize};
}

// Takes the lock that lets only one process evict at a time: two would delete twice as much.
// Returns no file if another process holds the lock longer than `patience`.
Fd lock(const std::filesystem::path& directory, std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kPause{10};
  Fd fd(::open((directory / "gc.lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  while (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (patience <= kPause) return Fd();
    patience -= kPause;
    std::this_thread::sleep_for(kPause);
  }
  return fd;
}

std::uint64_t bytes_of(const std::vector<StoredBlockFile>& blocks) {
  std::uint64_t total = 0;
  for (const StoredBlockFile& block : blocks) total += block.bytes;
  return total;
}

}  // namespace

std::vector<StoredBlockFile> unreachable_blocks(const std::vector<StoredBlockFile>& blocks) {
  const BlockTree tree(blocks);
  std::vector<StoredBlockFile> out;
  for (const Node& node : tree.nodes()) {
    if (!node.reached) out.push_back(*node.file);
  }
  return out;
}

std::vector<StoredBlockFile> blocks_to_evict(const std::vector<StoredBlockFile>& blocks,
                                             std::uint64_t max_bytes,
                                             const std::function<bool(const BlockName&)>& in_use) {
  std::uint64_t total = 0;
  for (const StoredBlockFile& block : blocks) total += block.bytes;
  if (total <= max_bytes) return {};
  const BlockTree tree(blocks);
  std::vector<StoredBlockFile> out;
  const auto evict = [&](const Node& node) {
    out.push_back(*node.file);
    total -= node.file->bytes;
  };
  std::vector<std::size_t> n_children;  // children not evicted yet
  std::priority_queue<const Node*, std::vector<const Node*>, EvictLater> leaves;
  for (const Node& node : tree.nodes()) {
    n_children.push_back(node.children.size());
    if (!node.reached) evict(node);
    if (node.reached && node.children.empty()) leaves.push(&node);
  }
  while (total > max_bytes && !leaves.empty()) {
    const Node& leaf = *leaves.top();
    leaves.pop();
    if (in_use(leaf.file->name)) continue;
    evict(leaf);
    if (leaf.parent && --n_children[*leaf.parent] == 0) leaves.push(&tree.nodes()[*leaf.parent]);
  }
  return out;
}

Collector::Collector(const BlockDirectory& directory, BlockBudget budget)
    : directory_(directory), log_(directory.path()) {
  const Space space = space_of(directory.path());
  max_bytes_ = budget.max_bytes.value_or(std::min(kMaxBytes, space.total / kMaxShare));
  min_free_bytes_ = budget.min_free_bytes.value_or(space.total / kMinFreeShare);
}

std::uint64_t Collector::free_bytes() const noexcept {
  return space_of(directory_.path()).available;
}

std::optional<Collected> Collector::evict(std::uint64_t room) {
  const Fd held = lock(directory_.path(), std::chrono::milliseconds(0));
  if (!held) return std::nullopt;
  directory_.remove_older_versions();
  const std::vector<StoredBlockFile> blocks = directory_.scan();
  if (log_.is_large()) compact_log(blocks);
  return evict_from(blocks, room);
}

Collected Collector::evict_from(const std::vector<StoredBlockFile>& blocks,
                                std::uint64_t room) const {
  Collected result{.bytes_left = bytes_of(blocks)};
  // How much may stay so that enough space is free afterwards.
  const std::uint64_t wanted_free = std::max(min_free_bytes_, room);
  const std::uint64_t all = result.bytes_left + free_bytes();
  if (room > all) return result;  // nothing we could delete would help
  const std::uint64_t limit = std::min(max_bytes_, all > wanted_free ? all - wanted_free : 0);
  if (result.bytes_left <= limit) return result;
  const auto in_use = [&](const BlockName& name) {
    return BlockLease::in_use(directory_.path_of(name));
  };
  for (const StoredBlockFile& block :
       blocks_to_evict(blocks, limit - limit / kSlackShare, in_use)) {
    directory_.remove(block.name);
    ++result.n_evicted;
    result.bytes_evicted += block.bytes;
    result.bytes_left -= block.bytes;
  }
  return result;
}

bool Collector::compact_log(const std::vector<StoredBlockFile>& blocks) const {
  std::set<std::pair<BlockKey, BlockKey>> there;
  for (const StoredBlockFile& block : blocks) there.emplace(block.name.root, block.name.key);
  return log_.compact([&](const BlockKey& root, const BlockKey& leaf) {
    return there.contains({root, leaf});
  });
}

std::optional<GarbageCollected> Collector::collect(std::chrono::milliseconds patience) {
  const Fd held = lock(directory_.path(), patience);
  if (!held) return std::nullopt;
  GarbageCollected result;
  result.foreign = directory_.remove_foreign();
  for (const StoredBlockFile& block : unreachable_blocks(directory_.scan())) {
    directory_.remove(block.name);
    result.unreachable.add(block.bytes);
  }
  result.evicted = evict_from(directory_.scan(), 0);
  result.log_compacted = compact_log(directory_.scan());
  result.n_facts = forget_facts(directory_.path(), kFactLife);
  return result;
}

}  // namespace confab::sessions
