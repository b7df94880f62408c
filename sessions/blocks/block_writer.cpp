// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sessions/error.h"
#include "sessions/publish.h"

namespace confab::sessions {
namespace {

constexpr std::uint64_t kScanShare = 16;  // part of the budget that is written between two scans
constexpr int kAttempts =
    4;  // one each for missing space, a missing folder, and a folder deleted meanwhile

bool is_passing(int error) {
  return error == ENOENT || error == EMFILE || error == ENFILE || error == ENOMEM;
}

}  // namespace

BlockName name_of(const BlockHead& head) {
  return {.root = head.root, .parent = head.parent, .key = head.key, .full = head.is_full()};
}

BlockWriter::BlockWriter(const BlockDirectory& directory, BlockBudget budget)
    : directory_(directory), collector_(directory, budget) {}

// Compares the tokens of the block before as well as its key. Even if keys ever collide, a chain of
// files therefore is a chain of tokens.
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
  const auto path = directory_.path_of(name);
  int error = 0;
  bool made_room = false;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    error = publish_file(path, block.payload, block.trailer);
    if (error == 0) return WriteOutcome::written;
    if (error == EEXIST) return WriteOutcome::known;
    if (error == ENOENT) {
      directory_.make_folder_of(name);
    } else if ((error == ENOSPC || error == EDQUOT) && !made_room) {
      evict(block.payload.size() + block.trailer.size());
      made_room = true;
    } else {
      break;
    }
  }
  if (is_passing(error)) return WriteOutcome::dropped;
  throw StoreError(
      fmt::format("{}: cannot write the prompt cache: {}; it is off until confab restarts",
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

// Other programs write too. Their blocks are noticed at the next scan, which happens after a share
// of the budget has been written.
void BlockWriter::keep_within_budget(std::uint64_t written) {
  written_bytes_ += written;
  const std::uint64_t max_bytes = collector_.max_bytes();
  if (!scanned_bytes_ || written_bytes_ > max_bytes / kScanShare ||
      *scanned_bytes_ + written_bytes_ > max_bytes ||
      collector_.free_bytes() < collector_.min_free_bytes()) {
    evict(0);
  }
}

void BlockWriter::evict(std::uint64_t room) {
  const std::optional<Collected> collected = collector_.evict(room);
  if (!collected) return;
  scanned_bytes_ = collected->bytes_left;
  written_bytes_ = 0;
  n_evicted_ += collected->n_evicted;
}

}  // namespace confab::sessions
