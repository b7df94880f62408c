// SPDX-License-Identifier: MIT
#include "sessions/block_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sessions/block_lease.h"
#include "sessions/error.h"
#include "sessions/eviction.h"
#include "sessions/publish.h"

namespace confab::sessions {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{8} << 30;
constexpr std::uint64_t kMaxShare = 10;       // one part in so many of the file system
constexpr std::uint64_t kMinFreeShare = 20;   //
constexpr std::uint64_t kEvictionShare = 16;  // evicts so much at once, scans after so much
constexpr int kAttempts = 4;  // room, a folder, and a folder that was deleted meanwhile

struct Space {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};

Space space_of(const std::filesystem::path& directory) {
  struct statvfs status {};
  if (::statvfs(directory.c_str(), &status) != 0) return {};
  return {.total = std::uint64_t{status.f_blocks} * status.f_frsize,
          .available = std::uint64_t{status.f_bavail} * status.f_frsize};
}

// Only one process at a time evicts: two that did would delete twice as much.
class EvictionLock {
 public:
  explicit EvictionLock(const std::filesystem::path& directory)
      : fd_(::open((directory / "gc.lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                   0600)),
        held_(fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) == 0) {}
  ~EvictionLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  EvictionLock(const EvictionLock&) = delete;
  EvictionLock& operator=(const EvictionLock&) = delete;
  bool held() const { return held_; }

 private:
  int fd_;
  bool held_;
};

bool is_passing(int error) {
  return error == ENOENT || error == EMFILE || error == ENFILE || error == ENOMEM;
}

}  // namespace

BlockName name_of(const BlockHead& head) {
  return {.root = head.root, .parent = head.parent, .key = head.key, .full = head.is_full()};
}

BlockWriter::BlockWriter(const BlockDirectory& directory, BlockBudget budget)
    : directory_(directory) {
  const Space space = space_of(directory.path());
  max_bytes_ = budget.max_bytes.value_or(std::min(kMaxBytes, space.total / kMaxShare));
  min_free_bytes_ = budget.min_free_bytes.value_or(space.total / kMinFreeShare);
}

// The tokens of the block before are compared, not only its key, which is what makes every chain
// of files one of tokens, should keys ever collide.
WriteOutcome BlockWriter::write(const BlockToWrite& block) {
  if (block.parent) {
    const BlockFile parent(directory_.path_of(name_of(*block.parent)));
    if (parent.status() != BlockStatus::ok || parent.head() != *block.parent) {
      return WriteOutcome::dropped;
    }
  }
  const BlockName name = name_of(block.head);
  const BlockFile there(directory_.path_of(name));
  if (there.status() == BlockStatus::ok) {
    if (there.head() != block.head) return WriteOutcome::dropped;
    directory_.touch(name);
    return WriteOutcome::known;
  }
  if (there.status() == BlockStatus::damaged) directory_.remove(name);
  const WriteOutcome outcome = publish(name, block);
  if (outcome == WriteOutcome::written) {
    remove_superseded(block.head);
    keep_within_budget(block.payload.size());
  }
  return outcome;
}

WriteOutcome BlockWriter::publish(const BlockName& name, const BlockToWrite& block) {
  const std::string trailer = encode_trailer(block.head, block.payload);
  const auto path = directory_.path_of(name);
  int error = 0;
  bool made_room = false;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    error = publish_file(path, block.payload, trailer);
    if (error == 0) return WriteOutcome::written;
    if (error == EEXIST) return WriteOutcome::known;
    if (error == ENOENT) {
      directory_.make_folder_of(name);
    } else if ((error == ENOSPC || error == EDQUOT) && !made_room) {
      evict(block.payload.size() + trailer.size());
      made_room = true;
    } else {
      break;
    }
  }
  if (is_passing(error)) return WriteOutcome::dropped;
  throw StoreError(fmt::format("{}: cannot write the prompt cache: {}; it is off until restart",
                               directory_.path().string(), std::strerror(error)));
}

void BlockWriter::remove_superseded(const BlockHead& head) const {
  for (const BlockName& sibling : directory_.children(head.root, head.parent)) {
    if (sibling.full || sibling.key == head.key) continue;
    const BlockFile tail(directory_.path_of(sibling));
    const auto& shorter = tail.head().tokens;
    if (tail.status() == BlockStatus::damaged ||
        (tail.status() == BlockStatus::ok && shorter.size() < head.tokens.size() &&
         std::ranges::equal(shorter, std::span(head.tokens).first(shorter.size())))) {
      directory_.remove(sibling);
    }
  }
}

// Other programs write too: what they add is seen at the next scan, after a share of the budget.
void BlockWriter::keep_within_budget(std::uint64_t written) {
  written_bytes_ += written;
  if (!scanned_bytes_ || written_bytes_ > max_bytes_ / kEvictionShare ||
      *scanned_bytes_ + written_bytes_ > max_bytes_ ||
      space_of(directory_.path()).available < min_free_bytes_) {
    evict(0);
  }
}

void BlockWriter::evict(std::uint64_t room) {
  const EvictionLock lock(directory_.path());
  if (!lock.held()) return;
  const std::vector<StoredBlockFile> blocks = directory_.scan();
  std::uint64_t total = 0;
  for (const StoredBlockFile& block : blocks) total += block.bytes;
  scanned_bytes_ = total;
  written_bytes_ = 0;
  // What may stay if so much is to be free afterwards.
  const std::uint64_t free_bytes = std::max(min_free_bytes_, room);
  const std::uint64_t all = total + space_of(directory_.path()).available;
  if (room > all) return;  // nothing that we could delete would help
  const std::uint64_t limit = std::min(max_bytes_, all > free_bytes ? all - free_bytes : 0);
  if (total <= limit) return;
  const auto in_use = [&](const BlockName& name) {
    return BlockLease::in_use(directory_.path_of(name));
  };
  const auto victims = blocks_to_evict(blocks, limit - limit / kEvictionShare, in_use);
  for (const BlockName& name : victims) directory_.remove(name);
  n_evicted_ += victims.size();
}

}  // namespace confab::sessions
