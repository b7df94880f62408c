// SPDX-License-Identifier: MIT
// Sequences whose keys and values lie in pages of this process's memory.
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
  // The cache has been given their rows. What is spent now goes by release_spent().
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

// All of one decoder, which must outlive them.
class PagedSequences {
 public:
  // hparams must outlive the object. Sequences are of at most n_ctx tokens; max_in_flight as
  // RecurrentState has it.
  PagedSequences(const Hparams& hparams, std::shared_ptr<PagePool> pool, int n_ctx,
                 int max_in_flight = 0)
      : hparams_(hparams), pool_(std::move(pool)), n_ctx_(n_ctx), max_in_flight_(max_in_flight) {}

  std::unique_ptr<Sequence> make() { return std::make_unique<PagedSequence>(*this); }
  // Cuts all sequences to what is sure to be there. True: memory was lost since the last call, and
  // what was computed meanwhile is void, whichever sequence it is of.
  bool drop_lost() noexcept;
  // Pages that are spent for all who hold them are so from now on. To be called after each run.
  void release_spent() noexcept;
  // As Decoder::replace().
  void replace(const WrittenBlock& written);
  const PagePool& pool() const noexcept { return *pool_; }
  // PagePool's.
  void give_back() { pool_->give_back(); }

 private:
  friend PagedSequence;
  bool is_spent(int i, const PageRef& page) const noexcept;

  const Hparams& hparams_;
  std::shared_ptr<PagePool> pool_;
  int n_ctx_;
  int max_in_flight_;
  std::vector<PagedSequence*> sequences_;
  bool may_be_spent_ = false;  // pages that are whole
  int n_losses_ = 0;           // of memory
};

}  // namespace confab::engine
