// SPDX-License-Identifier: MIT
// Stores the engine's KV-cache blocks through sessions/: an adapter between the two.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cache/block_store.h"
#include "sessions/blocks/kv_store.h"

namespace confab::app {

class KvBlockStore : public engine::BlockStore {
 public:
  // The store must outlive this object.
  explicit KvBlockStore(sessions::KvStore& store) : store_(store) {}

  std::vector<std::unique_ptr<engine::StoredBlock>> find(
      std::string_view fingerprint, std::span<const engine::Token> tokens) override;
  void keep_block(std::string_view fingerprint, std::span<const engine::Token> tokens,
                  const engine::BlockPayload& payload) override;
  void keep_tail(std::string_view fingerprint, std::span<const engine::Token> tokens,
                 std::vector<std::byte> bytes, std::vector<std::uint64_t> segments) override;
  std::vector<engine::WrittenBlock> take_written() override;
  bool release() override;
  void settle() override;
  void discard(std::string_view fingerprint, std::span<const engine::Token> tokens) override;
  void set_origin(std::int64_t origin) override;
  void record(const engine::BlockUse& use) override;
  std::optional<std::string> recall(const std::string& name) override;
  void remember(const std::string& name, const std::string& value) override;

 private:
  sessions::KvStore& store_;
};

}  // namespace confab::app
