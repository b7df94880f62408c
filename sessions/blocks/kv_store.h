// SPDX-License-Identifier: MIT
// KV-cache blocks of earlier prompts, kept as immutable files: what makes resuming cheap. See
// FORMAT.md. Everything here may be deleted at any moment, by anyone, and costs time only: a block
// that is missing, damaged or not what it should be is a miss, and is removed.
//
// A block is bytes that stand for block_tokens tokens (or fewer: a tail) after all tokens before
// it. What the bytes mean is the caller's business, and so is a fingerprint that changes with
// everything that determines them but the tokens.
//
// All functions may be called from any thread. Files are written by one storage thread, which
// sleeps when there is nothing to write.
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
  std::filesystem::path directory;  // created (0700) when missing, with its parents
  int block_tokens = 256;           // tokens of a full block; blocks made with another are misses
  // Least recently used blocks leave when the store grows beyond max_bytes (default: the smaller
  // of 8 GiB and a tenth of the file system), or leaves less than min_free_bytes of the file
  // system free (default: a twentieth of it).
  std::optional<std::uint64_t> max_bytes = {};
  std::optional<std::uint64_t> min_free_bytes = {};
};

struct KvStoreStats {  // since the store was opened
  std::uint64_t blocks_found = 0;
  std::uint64_t tokens_found = 0;
  std::uint64_t blocks_damaged = 0;  // and removed
  std::uint64_t blocks_written = 0;
  std::uint64_t blocks_dropped = 0;  // released before their turn, or the disk would not take them
  std::uint64_t blocks_evicted = 0;
  std::string saving_off;  // why nothing is written any more, in one line; empty: it is
};

class KvStore {
 public:
  // The shortest part of a block that is worth mapping it.
  static constexpr int kMinPartialTokens = 32;

  // Throws StoreError when the directory cannot be had, or belongs to or can be written by others.
  explicit KvStore(KvStoreOptions options);
  // Finishes the block being written and drops the others: flush() first.
  ~KvStore();
  KvStore(const KvStore&) = delete;
  KvStore& operator=(const KvStore&) = delete;

  // The stored blocks whose tokens start `tokens`, in order, verified: full ones, then at most one
  // of which only the first n_tokens() >= kMinPartialTokens are usable.
  std::vector<KvBlock> find(std::string_view fingerprint, std::span<const std::int32_t> tokens);

  // Keeps the last block of `tokens`, whose count is a multiple of block_tokens. The payload is
  // read behind the caller's back, for as long as its lender is held: until the block comes out of
  // take_written(), or is dropped. The block before must have been kept earlier, else this one
  // could not be found and is not written.
  void keep_block(std::string_view fingerprint, std::span<const std::int32_t> tokens,
                  const SegmentedBytes& payload, std::shared_ptr<const void> lender = {});
  // Keeps a tail: the last tokens of `tokens`, fewer than a block has.
  void keep_tail(std::string_view fingerprint, std::span<const std::int32_t> tokens,
                 std::vector<std::byte> payload, std::vector<std::uint64_t> segments);
  // Blocks of keep_block() as their files now hold them, to be mapped in their place.
  std::vector<WrittenBlock> take_written();
  // No lender is held any more when it returns, unless the disk hangs: what waits is dropped.
  // False: none was.
  bool release();
  // These tokens' blocks are of no use, though nothing is wrong with their files: removes them.
  void discard(std::string_view fingerprint, std::span<const std::int32_t> tokens);

  // For whom blocks are looked for and kept from now on; 0: for no conversation.
  void set_origin(std::int64_t origin);
  // What the last find() was good for in the end, for the use log.
  void record(int n_wanted, int n_found, std::uint64_t bytes_mapped, std::uint64_t bytes_copied);
  // Facts that take long to find out (facts.h).
  std::optional<std::string> recall_fact(std::string_view name) const;
  void remember_fact(std::string_view name, std::string_view value) const noexcept;

  // Waits until all that was kept is written. False: the time was up first.
  bool flush(std::chrono::milliseconds timeout);

  KvStoreStats stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace confab::sessions
