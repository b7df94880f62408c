// SPDX-License-Identifier: MIT
#include "engine/cache/decoder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace confab::engine {
namespace {

// Whose state knows multiples of ten only, and blocks of three tokens.
class TensSequence final : public Sequence {
 public:
  explicit TensSequence(std::span<const Token> tokens) : Sequence(tokens) {}
  void checkpoint() noexcept override {}
  std::unique_ptr<Sequence> fork(int) const override { return nullptr; }
  int n_left(int n) const noexcept override { return n; }
  bool is_whole(int) const noexcept override { return true; }
  bool is_stored(int) const noexcept override { return false; }
  BlockPayload block(int) const override { return {}; }
  std::vector<std::byte> packed_rows(int, int) const override { return {}; }
  std::vector<std::uint64_t> segments(int) const override { return {}; }

 protected:
  int truncate_state(int n) noexcept override { return n / 10 * 10; }
  std::optional<std::size_t> restore_state(StoredBlock&, std::span<const Token> tokens) override {
    return tokens.size() == 3 ? std::optional<std::size_t>(30) : std::nullopt;
  }
};

class NoBlock : public StoredBlock {
 public:
  std::span<const std::byte> payload() const noexcept override { return {}; }
  int n_stored() const noexcept override { return 3; }
  int n_tokens() const noexcept override { return 3; }
  bool move_to(std::byte*) noexcept override { return false; }
};

TEST(SequenceTest, ItsTokensAreThoseThatItsStateKnows) {
  const std::vector<Token> tokens(25, 4);
  TensSequence sequence(tokens);
  EXPECT_EQ(sequence.truncate(17), 10);
  EXPECT_EQ(sequence.n_tokens(), 10);
  NoBlock block;
  EXPECT_EQ(sequence.restore(block, std::vector<Token>{1, 2, 3}), 30U);
  EXPECT_EQ(sequence.n_tokens(), 13);
  EXPECT_EQ(sequence.tokens().back(), 3);
  EXPECT_FALSE(sequence.restore(block, std::vector<Token>{1, 2}));
  EXPECT_EQ(sequence.n_tokens(), 13);
}

}  // namespace
}  // namespace confab::engine
