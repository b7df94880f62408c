// SPDX-License-Identifier: MIT
// The thread that writes blocks, and its queue. All functions may be called from any thread. Only
// flush() and release() wait for the disk.
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
  std::optional<BlockHead> parent;  // nullopt: it is the first block
  std::span<const std::byte> borrowed;
  std::shared_ptr<const void> lender = {};  // keeps the borrowed payload valid and unchanged
  std::vector<std::byte> owned = {};        // the payload, if it is not borrowed
  std::vector<std::uint64_t> segments;
  std::int64_t origin = 0;  // the conversation, for the use log

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
  std::string saving_off;  // why nothing is written any more; empty: saving works
};

class StorageThread {
 public:
  // The directory must outlive the object.
  StorageThread(const BlockDirectory& directory, BlockBudget budget);
  // Finishes the block that is being written and drops the others; call flush() first to keep them.
  ~StorageThread();
  StorageThread(const StorageThread&) = delete;
  StorageThread& operator=(const StorageThread&) = delete;

  // Appends to the use log.
  void log(const Use& use);
  // Marks the chain that ends with this block as in use, instead of the previous chain with this
  // root. Each block that is written later under this root replaces it in turn. nullopt: no chain
  // is in use.
  void lease(const BlockKey& root, const std::optional<BlockName>& deepest);
  // Drops the job if too many bytes are waiting in owned payloads, or saving is off.
  void push(BlockJob job);
  // The blocks whose payload was borrowed, as their files now hold them, in the order of writing.
  std::vector<WrittenBlock> take_written();
  // Makes sure that nothing is borrowed when this returns: drops the waiting jobs, and waits up to
  // a second for the block that is being written. Returns false if nothing was borrowed.
  bool release();
  // Waits until everything is written. Returns false if the time ran out first.
  bool flush(std::chrono::milliseconds timeout);
  StorageStats stats() const;

 private:
  struct Shared {
    std::deque<std::unique_ptr<BlockJob>> queue;
    bool is_busy = false;         // a block is being written
    bool busy_released = false;   // release() was called: it must not go to `written`
    std::size_t owned_bytes = 0;  // in the queue
    std::vector<WrittenBlock> written;
    std::vector<Use> uses;                  // waiting to be logged
    std::map<BlockKey, BlockLease> leases;  // by root
    StorageStats stats;

    bool is_idle() const { return queue.empty() && uses.empty() && !is_busy; }
    void turn_off(const std::string& error);
  };
  void write_until(const std::stop_token& stop);
  void write_uses();
  struct Written {
    WriteOutcome outcome = WriteOutcome::dropped;
    std::optional<KvBlock> block = {};  // as its file has it, if it was borrowed
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
