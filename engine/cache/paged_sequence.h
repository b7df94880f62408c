// SPDX-License-Identifier: MIT
// Sequences whose keys and values are in pages of this process's memory.
#pragma once

#include <memory>
#include <vector>

#include "engine/cache/decoder.h"
#include "engine/cache/kv_cache.h"

namespace confab::engine {

class PagedSequences;

class PagedSequence final : public Sequence {
 public:
  explicit PagedSequence(PagedSequences& all);
  PagedSequence(const PagedSequence& other, int n);
  ~PagedSequence() override;

  void checkpoint() noexcept override { cache.recurrent().checkpoint(); }
  std::unique_ptr<Sequence> fork(int n) const override;
  int n_left(int n) const noexcept override { return cache.n_left(n); }
  bool is_stored(int i) const noexcept override { return cache.is_mapped(i); }
  bool is_whole(int i) const noexcept override { return cache.page(i)->is_whole(); }
  BlockPayload block(int i) const override;
  std::vector<std::byte> packed_rows(int i, int n) const override;
  std::vector<std::uint64_t> segments(int n) const override;
  // Appends tokens whose rows are already in the cache. release_spent() then releases what they
  // leave behind.
  void append(std::span<const Token> tokens);

 protected:
  int truncate_state(int n) noexcept override { return cache.truncate(n); }
  std::optional<std::size_t> restore_state(StoredBlock& stored,
                                           std::span<const Token> tokens) override;

 private:
  PagedSequences& all_;

 public:
  KvCache cache;
};

// All sequences of one decoder. Must outlive them.
class PagedSequences {
 public:
  // hparams must outlive the object. Sequences have at most n_ctx tokens. max_in_flight has the
  // same meaning as in RecurrentState.
  PagedSequences(const Hparams& hparams, std::shared_ptr<PagePool> pool, int n_ctx,
                 int max_in_flight = 0)
      : hparams_(hparams), pool_(std::move(pool)), n_ctx_(n_ctx), max_in_flight_(max_in_flight) {}

  std::unique_ptr<Sequence> make() { return std::make_unique<PagedSequence>(*this); }
  // Cuts all sequences to the tokens that are certainly intact. Returns true if memory was lost
  // since the last call; then everything computed meanwhile is void, for every sequence.
  bool drop_lost() noexcept;
  // Marks pages as spent that are spent for all their holders. Call it after each run.
  void release_spent() noexcept;
  // Decoder::replace().
  void replace(const WrittenBlock& written);
  const PagePool& pool() const noexcept { return *pool_; }
  // PagePool::give_back().
  void give_back() { pool_->give_back(); }

 private:
  friend PagedSequence;
  bool is_spent(int i, const PageRef& page) const noexcept;

  const Hparams& hparams_;
  std::shared_ptr<PagePool> pool_;
  int n_ctx_;
  int max_in_flight_;
  std::vector<PagedSequence*> sequences_;
  bool may_be_spent_ = false;  // there may be whole pages to mark as spent
  int n_losses_ = 0;           // how often memory was lost
};

}  // namespace confab::engine
