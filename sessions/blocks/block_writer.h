// SPDX-License-Identifier: MIT
// The work of the storage thread: writes blocks and keeps the store within its budget. Confined to
// that thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sessions/blocks/block_directory.h"
#include "sessions/blocks/block_file.h"
#include "sessions/blocks/collector.h"

namespace confab::sessions {

struct BlockToWrite {
  BlockHead head;
  std::optional<BlockHead> parent;  // nullopt: it is the first block
  std::span<const std::byte> payload;
  // The result of encode_trailer(), made earlier. If the payload changes in the meantime, the file
  // is torn and its checksums show that.
  std::string trailer;
};

enum class WriteOutcome {
  written,
  known,    // the block was stored already
  dropped,  // the block before it is missing, or the system was briefly short of a resource
};

class BlockWriter {
 public:
  BlockWriter(const BlockDirectory& directory,
              BlockBudget budget);  // the directory must outlive it

  // Writes the block, deletes the tails that it extends, and evicts blocks if the store is then
  // over its budget. Throws StoreError if the disk does not accept the block and a retry would not
  // help.
  WriteOutcome write(const BlockToWrite& block);

  std::uint64_t n_evicted() const noexcept { return n_evicted_; }

 private:
  WriteOutcome publish(const BlockName& name, const BlockToWrite& block);
  void remove_superseded(const BlockHead& head) const;
  void keep_within_budget(std::uint64_t written);
  void evict(std::uint64_t room);

  const BlockDirectory& directory_;
  Collector collector_;
  std::optional<std::uint64_t> scanned_bytes_;  // bytes found by the last scan
  std::uint64_t written_bytes_ = 0;             // written by this object since then
  std::uint64_t n_evicted_ = 0;
};

BlockName name_of(const BlockHead& head);

}  // namespace confab::sessions
