// SPDX-License-Identifier: MIT
// KV-cache blocks of earlier prompts, kept as immutable files, which make resuming cheap. See
// FORMAT.md. Everything here may be deleted by anyone at any moment; that only costs time. A block
// that is missing, damaged or wrong counts as a miss and is removed.
//
// A block is a string of bytes that stands for block_tokens tokens (a tail: fewer) after all tokens
// before it. Only the caller knows what the bytes mean. It passes a fingerprint that changes with
// everything, except the tokens, that the bytes depend on.
//
// All functions may be called from any thread. One storage thread writes the files, and sleeps
// while there is nothing to write.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/blocks/block_file.h"
#include "sessions/blocks/kv_block.h"
#include "sessions/blocks/storage_thread.h"

namespace confab::sessions {

struct KvStoreOptions {
  std::filesystem::path directory;  // created (0700) if missing, with its parents
  int block_tokens = 256;           // tokens of a full block; blocks of another size are misses
  // The least recently used blocks are evicted if the store grows beyond max_bytes (default: 8 GiB
  // or a tenth of the file system, whichever is smaller), or leaves less than min_free_bytes free
  // (default: a twentieth of the file system).
  std::optional<std::uint64_t> max_bytes = {};
  std::optional<std::uint64_t> min_free_bytes = {};
};

struct KvStoreStats {  // since the store was opened
  std::uint64_t blocks_found = 0;
  std::uint64_t tokens_found = 0;
  std::uint64_t blocks_damaged = 0;  // found damaged, and removed
  std::uint64_t blocks_written = 0;
  std::uint64_t blocks_dropped = 0;  // released before they were written, or refused by the disk
  std::uint64_t blocks_evicted = 0;
  std::string saving_off;  // one line: why nothing is written any more; empty: saving works
};

class KvStore {
 public:
  // The shortest part of a block that is worth mapping.
  static constexpr int kMinPartialTokens = 32;

  // Throws StoreError if the directory cannot be created, belongs to another user, or can be
  // written by others.
  explicit KvStore(KvStoreOptions options);
  // Finishes the block that is being written and drops the others; call flush() first to keep them.
  ~KvStore();
  KvStore(const KvStore&) = delete;
  KvStore& operator=(const KvStore&) = delete;

  // The stored, verified blocks that `tokens` begin with, in order: full blocks, then at most one
  // of which only the first n_tokens() >= kMinPartialTokens are usable.
  std::vector<KvBlock> find(std::string_view fingerprint, std::span<const std::int32_t> tokens);

  // Keeps the last block of `tokens`, whose count is a multiple of block_tokens. Another thread
  // reads the payload as long as the store holds its lender: until take_written() returns the
  // block, or the block is dropped. The block before must have been kept earlier; otherwise this
  // one could never be found, and is not written.
  void keep_block(std::string_view fingerprint, std::span<const std::int32_t> tokens,
                  const SegmentedBytes& payload, std::shared_ptr<const void> lender = {});
  // Keeps a tail: the last tokens of `tokens`, fewer than a full block.
  void keep_tail(std::string_view fingerprint, std::span<const std::int32_t> tokens,
                 std::vector<std::byte> payload, std::vector<std::uint64_t> segments);
  // The blocks of keep_block() that have been written, as their files now hold them, to be mapped
  // in place of the originals.
  std::vector<WrittenBlock> take_written();
  // Drops what is waiting, so that no lender is held when this returns, unless the disk hangs.
  // Returns false if none was held.
  bool release();
  // Removes the blocks of these tokens, which are useless although nothing is wrong with their
  // files.
  void discard(std::string_view fingerprint, std::span<const std::int32_t> tokens);

  // The conversation that blocks are found and kept for from now on; 0: none.
  void set_origin(std::int64_t origin);
  // Logs how useful the last find() turned out, for the use log.
  void record(int n_wanted, int n_found, std::uint64_t bytes_mapped, std::uint64_t bytes_copied);
  // See facts.h.
  std::optional<std::string> recall_fact(std::string_view name) const;
  void remember_fact(std::string_view name, std::string_view value) const noexcept;

  // Waits until everything kept so far is written. Returns false if the time ran out first.
  bool flush(std::chrono::milliseconds timeout);

  KvStoreStats stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace confab::sessions
