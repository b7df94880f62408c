// SPDX-License-Identifier: MIT
// Lets the engine keep its KV-cache blocks in sessions/: the adapter between the two.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/block_store.h"
#include "sessions/kv_store.h"

namespace confab::app {

class KvBlockStore : public engine::BlockStore {
 public:
  // The store must outlive the object.
  explicit KvBlockStore(sessions::KvStore& store) : store_(store) {}

  std::vector<std::unique_ptr<engine::StoredBlock>> find(
      std::string_view fingerprint, std::span<const engine::Token> tokens) override;
  void keep(std::string_view fingerprint, std::span<const engine::Token> tokens,
            std::span<const std::byte> payload) override;

 private:
  sessions::KvStore& store_;
};

}  // namespace confab::app
