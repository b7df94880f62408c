// SPDX-License-Identifier: MIT
// The interface of a store that keeps KV-cache blocks between runs. The engine says which tokens a
// block covers; how and where it is kept is up to the store (app connects sessions/ here). A store
// may lose anything at any time, which only costs time. It is called only from the generation
// thread, serves the KV caches of a model and its draft model, and must not throw.
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

// A block as it was stored, checked for damage. Owns its bytes.
class StoredBlock {
 public:
  virtual ~StoredBlock() = default;
  virtual std::span<const std::byte> payload() const noexcept = 0;
  virtual int n_stored() const noexcept = 0;  // tokens in the payload: 1..kBlockTokens
  virtual int n_tokens() const noexcept = 0;  // how many of them, from the first, match the request
  // Maps the payload read-only over the memory at `address`, which must be as long and aligned for
  // every page size. If it returns false, the payload is where it was, and possibly nothing is
  // mapped at the address.
  virtual bool move_to(std::byte* address) noexcept = 0;
};

// A block made of bytes in memory, from which a sequence can be restored. The payload is borrowed,
// and is never mapped over other memory.
class BorrowedBlock final : public StoredBlock {
 public:
  // The arguments have the same meaning as in StoredBlock.
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

// The bytes of a full block, and the sizes of the parts that get separate checksums. The sizes add
// up to all bytes.
struct BlockPayload {
  std::span<const std::byte> bytes;
  std::vector<std::uint64_t> segments;
  std::shared_ptr<const void> owner;  // the bytes stay unchanged while this is held
};

struct WrittenBlock {
  std::shared_ptr<const void> owner;  // BlockPayload::owner of the block that was kept
  std::unique_ptr<StoredBlock> block;
};

// How useful the last find() was.
struct BlockUse {
  int n_wanted = 0;  // tokens requested
  int n_found = 0;   // how many of them, from the first, were found
  std::uint64_t bytes_mapped = 0;
  std::uint64_t bytes_copied = 0;
};

class BlockStore {
 public:
  virtual ~BlockStore() = default;
  // Stored blocks that begin `tokens`, in order: full ones, then at most one that is used in part.
  virtual std::vector<std::unique_ptr<StoredBlock>> find(std::string_view fingerprint,
                                                         std::span<const Token> tokens) = 0;
  // Stores the last block of `tokens`, which must be full. Another thread reads its bytes meanwhile
  // and holds their owner.
  virtual void keep_block(std::string_view fingerprint, std::span<const Token> tokens,
                          const BlockPayload& payload) = 0;
  // Stores the tokens after the last full block.
  virtual void keep_tail(std::string_view fingerprint, std::span<const Token> tokens,
                         std::vector<std::byte> bytes, std::vector<std::uint64_t> segments) = 0;
  // Returns the blocks that were written since the last call. They can be mapped in place of their
  // memory.
  virtual std::vector<WrittenBlock> take_written() = 0;
  // Releases all lent blocks and drops those that are not written yet. Waits for at most one block
  // to be written. Returns false if no block was held.
  virtual bool release() = 0;
  // Gives lent blocks a few seconds to be written, and drops the rest.
  virtual void settle() = 0;
  // Forgets the blocks of these tokens, whose contents are useless even though their bytes are
  // intact.
  virtual void discard(std::string_view fingerprint, std::span<const Token> tokens) = 0;
  // Sets the owner of blocks that are looked up and stored from now on: GenerateRequest::origin.
  virtual void set_origin(std::int64_t origin) = 0;
  virtual void record(const BlockUse& use) = 0;

  // Small facts that take long to find out again.
  virtual std::optional<std::string> recall(const std::string& name) = 0;
  virtual void remember(const std::string& name, const std::string& value) = 0;
};

}  // namespace confab::engine
