// SPDX-License-Identifier: MIT
// The thread that writes blocks, and what waits for it. All functions may be called from any
// thread; none but flush() and release() waits for the disk.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/thread.h"
#include "sessions/blocks/block_lease.h"
#include "sessions/blocks/block_writer.h"
#include "sessions/blocks/kv_block.h"
#include "sessions/blocks/use_log.h"
#include "sessions/locked.h"

namespace confab::sessions {

struct BlockJob {
  BlockHead head;
  std::optional<BlockHead> parent;  // nullopt: it is the first one
  std::span<const std::byte> borrowed;
  std::shared_ptr<const void> lender = {};  // keeps what is borrowed as it is
  std::vector<std::byte> owned = {};        // the payload, when nothing is borrowed
  std::vector<std::uint64_t> segments;
  std::int64_t origin = 0;  // for the use log

  std::span<const std::byte> payload() const { return owned.empty() ? borrowed : owned; }
};

struct WrittenBlock {
  std::shared_ptr<const void> lender;
  KvBlock block;
};

struct StorageStats {
  std::uint64_t blocks_written = 0;
  std::uint64_t blocks_dropped = 0;
  std::uint64_t blocks_evicted = 0;
  std::string saving_off;  // why nothing is written any more; empty: it is
};

class StorageThread {
 public:
  // The directory must outlive the object.
  StorageThread(const BlockDirectory& directory, BlockBudget budget);
  // Finishes the block being written and drops the others: flush() first.
  ~StorageThread();
  StorageThread(const StorageThread&) = delete;
  StorageThread& operator=(const StorageThread&) = delete;

  // Appends to the use log.
  void log(const Use& use);
  // Of those with this root, the chain that ends with this block is in use, instead of the one
  // before; so is each block that is written from then on. nullopt: none is.
  void lease(const BlockKey& root, const std::optional<BlockName>& deepest);
  // Drops the job when too many bytes are owned by those that wait, or saving is off.
  void push(BlockJob job);
  // Blocks whose payload was borrowed, as their files now hold them: in the order of writing.
  std::vector<WrittenBlock> take_written();
  // Nothing is borrowed any more when it returns: jobs that wait are dropped, that of the block
  // being written is waited for, but not longer than a second. False: nothing was.
  bool release();
  // Waits until all is written. False: the time was up first.
  bool flush(std::chrono::milliseconds timeout);
  StorageStats stats() const;

 private:
  struct Shared {
    std::deque<std::unique_ptr<BlockJob>> queue;
    bool is_busy = false;         // a block is being written
    bool busy_released = false;   // nobody wants it back any more
    std::size_t owned_bytes = 0;  // by the queue
    std::vector<WrittenBlock> written;
    std::vector<Use> uses;                  // to be logged
    std::map<BlockKey, BlockLease> leases;  // by root
    StorageStats stats;

    bool is_idle() const { return queue.empty() && uses.empty() && !is_busy; }
    void turn_off(const std::string& error);
  };
  void write_until(const std::stop_token& stop);
  void write_uses();
  struct Written {
    WriteOutcome outcome = WriteOutcome::dropped;
    std::optional<KvBlock> block = {};  // as its file has it, when it was borrowed
    BlockLease lease = {};
  };
  Written write_block(BlockWriter& writer, const BlockJob& job);
  void write(BlockWriter& writer, const BlockJob& job);

  const BlockDirectory& directory_;
  const BlockBudget budget_;
  const UseLog use_log_;
  mutable Locked<Shared> shared_;
  base::Thread thread_;  // last: stops before what it uses is destroyed
};

}  // namespace confab::sessions
