// SPDX-License-Identifier: MIT
// What the storage thread does: writes blocks, and keeps the store within its budget. Confined to
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
  std::optional<BlockHead> parent;  // nullopt: it is the first one
  std::span<const std::byte> payload;
  // encode_trailer()'s, made before: should the payload change meanwhile, what is written is torn,
  // and the checksums say so.
  std::string trailer;
};

enum class WriteOutcome {
  written,
  known,    // it was there already
  dropped,  // the block before it is not there, or the system was short of something just now
};

class BlockWriter {
 public:
  BlockWriter(const BlockDirectory& directory, BlockBudget budget);  // the directory outlives it

  // Writes the block, deletes tails that it extends, and evicts what is too much then. Throws
  // StoreError when the disk does not take it, so that trying again makes no sense.
  WriteOutcome write(const BlockToWrite& block);

  std::uint64_t n_evicted() const noexcept { return n_evicted_; }

 private:
  WriteOutcome publish(const BlockName& name, const BlockToWrite& block);
  void remove_superseded(const BlockHead& head) const;
  void keep_within_budget(std::uint64_t written);
  void evict(std::uint64_t room);

  const BlockDirectory& directory_;
  Collector collector_;
  std::optional<std::uint64_t> scanned_bytes_;  // what was there at the last scan
  std::uint64_t written_bytes_ = 0;             // by us since
  std::uint64_t n_evicted_ = 0;
};

BlockName name_of(const BlockHead& head);

}  // namespace confab::sessions
