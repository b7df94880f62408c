// SPDX-License-Identifier: MIT
// What the engine asks of a place that keeps KV-cache blocks between runs. The engine says which
// tokens a block stands for; how and where it is kept is the store's business (app connects
// sessions/ here). A store may lose anything at any time: that costs time only. It is called from
// the generation thread alone, serves the KV caches of a model and of its draft model, and must not
// throw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/token.h"

namespace confab::engine {

// A block as it was kept, checked against damage; owned.
class StoredBlock {
 public:
  virtual ~StoredBlock() = default;
  virtual std::span<const std::byte> payload() const noexcept = 0;
  virtual int n_stored() const noexcept = 0;  // tokens that the payload is of: 1..kBlockTokens
  virtual int n_tokens() const noexcept = 0;  // the first of these are the ones that were asked for
  // Maps the payload, to be read only, instead of what is mapped at `address`: as long, and aligned
  // for all page sizes. False: the payload is where it was, and nothing may be mapped at the
  // address.
  virtual bool move_to(std::byte* address) noexcept = 0;
};

// Bytes in memory as a block that a sequence can be restored from. The payload is
// borrowed, and never mapped in the place of other memory.
class BorrowedBlock final : public StoredBlock {
 public:
  // As StoredBlock has these.
  BorrowedBlock(std::span<const std::byte> payload, int n_stored, int n_tokens) noexcept
      : payload_(payload), n_stored_(n_stored), n_tokens_(n_tokens) {}
  std::span<const std::byte> payload() const noexcept override { return payload_; }
  int n_stored() const noexcept override { return n_stored_; }
  int n_tokens() const noexcept override { return n_tokens_; }
  bool move_to(std::byte* /*address*/) noexcept override { return false; }

 private:
  std::span<const std::byte> payload_;
  int n_stored_, n_tokens_;
};

// A full block: its bytes, with the sizes of the parts to be checksummed apart, which add up to all
// bytes.
struct BlockPayload {
  std::span<const std::byte> bytes;
  std::vector<std::uint64_t> segments;
  std::shared_ptr<const void> owner;  // keeps the bytes as they are as long as it is held
};

struct WrittenBlock {
  std::shared_ptr<const void> owner;  // of the payload that was kept
  std::unique_ptr<StoredBlock> block;
};

// What the last find() was good for.
struct BlockUse {
  int n_wanted = 0;  // tokens
  int n_found = 0;   // the first of them
  std::uint64_t bytes_mapped = 0;
  std::uint64_t bytes_copied = 0;
};

class BlockStore {
 public:
  virtual ~BlockStore() = default;
  // The stored blocks whose tokens start `tokens`, in order: full ones, then at most one that is
  // partly used.
  virtual std::vector<std::unique_ptr<StoredBlock>> find(std::string_view fingerprint,
                                                         std::span<const Token> tokens) = 0;
  // Keeps the last block of `tokens`, a full one. Its bytes are read meanwhile by another thread,
  // which holds their owner.
  virtual void keep_block(std::string_view fingerprint, std::span<const Token> tokens,
                          const BlockPayload& payload) = 0;
  // Keeps the tokens after the last full block.
  virtual void keep_tail(std::string_view fingerprint, std::span<const Token> tokens,
                         std::vector<std::byte> bytes, std::vector<std::uint64_t> segments) = 0;
  // Blocks that were written since the last call, to be mapped in place of the memory they had.
  virtual std::vector<WrittenBlock> take_written() = 0;
  // No block is held any more when it returns: those that are not written yet are dropped. At worst
  // it waits until one block is written. False: none was held.
  virtual bool release() = 0;
  // Gives what is borrowed a few seconds to be written, and drops the rest.
  virtual void settle() = 0;
  // The blocks of these tokens are of no use, though their bytes are as they were kept.
  virtual void discard(std::string_view fingerprint, std::span<const Token> tokens) = 0;
  // For whom blocks are looked for and kept from now on: GenerateRequest's origin.
  virtual void set_origin(std::int64_t origin) = 0;
  virtual void record(const BlockUse& use) = 0;

  // Small facts that take long to find out again.
  virtual std::optional<std::string> recall(const std::string& name) = 0;
  virtual void remember(const std::string& name, const std::string& value) = 0;
};

}  // namespace confab::engine
