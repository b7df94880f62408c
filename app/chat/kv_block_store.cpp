// SPDX-License-Identifier: MIT
#include "app/chat/kv_block_store.h"

#include <chrono>
#include <utility>

namespace confab::app {
namespace {

// For the pending writes when the model is closed.
constexpr std::chrono::seconds kSettleTime{5};

class Block : public engine::StoredBlock {
 public:
  explicit Block(sessions::KvBlock block) : block_(std::move(block)) {}
  std::span<const std::byte> payload() const noexcept override { return block_.payload(); }
  int n_stored() const noexcept override { return block_.n_stored(); }
  int n_tokens() const noexcept override { return block_.n_tokens(); }
  bool move_to(std::byte* address) noexcept override { return block_.move_to(address); }

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

void KvBlockStore::keep_block(std::string_view fingerprint, std::span<const engine::Token> tokens,
                              const engine::BlockPayload& payload) {
  store_.keep_block(fingerprint, tokens, {payload.bytes, payload.segments}, payload.owner);
}

void KvBlockStore::keep_tail(std::string_view fingerprint, std::span<const engine::Token> tokens,
                             std::vector<std::byte> bytes, std::vector<std::uint64_t> segments) {
  store_.keep_tail(fingerprint, tokens, std::move(bytes), std::move(segments));
}

std::vector<engine::WrittenBlock> KvBlockStore::take_written() {
  std::vector<engine::WrittenBlock> written;
  for (sessions::WrittenBlock& block : store_.take_written())
    written.push_back({block.lender, std::make_unique<Block>(std::move(block.block))});
  return written;
}

bool KvBlockStore::release() {
  return store_.release();
}

void KvBlockStore::settle() {
  store_.flush(kSettleTime);
  store_.release();
}

void KvBlockStore::discard(std::string_view fingerprint, std::span<const engine::Token> tokens) {
  store_.discard(fingerprint, tokens);
}

void KvBlockStore::set_origin(std::int64_t origin) {
  store_.set_origin(origin);
}

void KvBlockStore::record(const engine::BlockUse& use) {
  store_.record(use.n_wanted, use.n_found, use.bytes_mapped, use.bytes_copied);
}

std::optional<std::string> KvBlockStore::recall(const std::string& name) {
  return store_.recall_fact(name);
}

void KvBlockStore::remember(const std::string& name, const std::string& value) {
  store_.remember_fact(name, value);
}

}  // namespace confab::app
