// SPDX-License-Identifier: MIT
#include "app/kv_block_store.h"

namespace confab::app {
namespace {

class Block : public engine::StoredBlock {
 public:
  explicit Block(sessions::KvBlock block) : block_(std::move(block)) {}
  std::span<const std::byte> payload() const noexcept override { return block_.payload(); }
  int n_tokens() const noexcept override { return block_.n_tokens(); }

 private:
  sessions::KvBlock block_;
};

}  // namespace

std::vector<std::unique_ptr<engine::StoredBlock>> KvBlockStore::find(
    std::string_view fingerprint, std::span<const engine::Token> tokens) {
  std::vector<std::unique_ptr<engine::StoredBlock>> blocks;
  for (sessions::KvBlock& block : store_.find(fingerprint, tokens))
    blocks.push_back(std::make_unique<Block>(std::move(block)));
  return blocks;
}

void KvBlockStore::keep(std::string_view fingerprint, std::span<const engine::Token> tokens,
                        std::span<const std::byte> payload) {
  store_.keep(fingerprint, tokens, payload);
}

}  // namespace confab::app
