// SPDX-License-Identifier: MIT
// A sequence of which two decoders have some of the layers each: the first ones, and the last ones.
// A block is that of the first, then that of the last.
#pragma once

#include <memory>
#include <vector>

#include "engine/cache/decoder.h"

namespace confab::engine {

class SplitSequence final : public Sequence {
 public:
  // Two of the same tokens. `all` has all sequences of a decoder, and outlives them.
  SplitSequence(std::vector<SplitSequence*>& all, std::unique_ptr<Sequence> first,
                std::unique_ptr<Sequence> last);
  ~SplitSequence() override;

  Sequence& first() const noexcept { return *first_; }
  Sequence& last() const noexcept { return *last_; }
  void append(std::span<const Token> tokens) {
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  }
  // The first one may have lost some of its tokens.
  void follow_first() noexcept { truncate(first_->n_tokens()); }

  int n_left(int n) const noexcept override { return last_->n_left(first_->n_left(n)); }
  void checkpoint() noexcept override {
    first_->checkpoint();
    last_->checkpoint();
  }
  std::unique_ptr<Sequence> fork(int n) const override;
  // The last one's copies are what is told apart: blocks of both are always kept together.
  bool is_stored(int i) const noexcept override { return last_->is_stored(i); }
  bool is_whole(int i) const noexcept override { return first_->is_whole(i) && last_->is_whole(i); }
  BlockPayload block(int i) const override;
  std::vector<std::byte> packed_rows(int i, int n) const override;
  std::vector<std::uint64_t> segments(int n) const override;

 protected:
  int truncate_state(int n) noexcept override;
  std::optional<std::size_t> restore_state(StoredBlock& stored,
                                           std::span<const Token> tokens) override;

 private:
  std::vector<SplitSequence*>& all_;
  std::unique_ptr<Sequence> first_, last_;
};

}  // namespace confab::engine
