// SPDX-License-Identifier: MIT
#include "engine/gpu/split_decoder.h"

#include <gtest/gtest.h>

#include "tests/engine/cache/memory_block_store.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden.h"
#include "tests/engine/gpu/split.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

class SplitSequenceTest : public testing::Test {
 protected:
  void SetUp() override { CONFAB_NEEDS_GPU(); }

  std::vector<float> run(SplitDecoder& decoder, Sequence& sequence, std::span<const Token> tokens) {
    std::vector<float> last;
    for (std::size_t i = 0; i < tokens.size(); i += 64) {
      const SequenceRun one{&sequence,
                            tokens.subspan(i, std::min<std::size_t>(64, tokens.size() - i)),
                            LogitsOf::last_token};
      EXPECT_EQ(decoder.run({&one, 1}, [](int) { return true; }), RunEnd::done);
      last.assign(decoder.logits(0).begin(), decoder.logits(0).end());
    }
    return last;
  }

  const TinyModelFile file_{{.n_layer = 3, .n_ctx = 1024}};
  const Model model_ = load_bare_model(file_.path());
  const std::vector<Token> tokens_ = some_tokens(300, 5);
};

TEST_F(SplitSequenceTest, ForksAndCutsGoOnAsTheWhole) {
  Split split(model_, 2);
  const auto sequence = split.decoder.make_sequence();
  const std::vector<float> want = run(split.decoder, *sequence, tokens_);
  EXPECT_EQ(sequence->truncate(290), 290);
  const auto fork = sequence->fork(280);
  EXPECT_EQ(fork->n_tokens(), 280);
  EXPECT_LE(
      difference(std::span<const float>(run(split.decoder, *fork, std::span(tokens_).subspan(280))),
                 std::span<const float>(want))
          .nmse,
      1e-9);
  EXPECT_LE(difference(std::span<const float>(
                           run(split.decoder, *sequence, std::span(tokens_).subspan(290))),
                       std::span<const float>(want))
                .nmse,
            1e-9);
}

TEST_F(SplitSequenceTest, BlocksComeBackWholeAndInPart) {
  Split split(model_, 1);
  const auto sequence = split.decoder.make_sequence();
  const std::vector<float> want = run(split.decoder, *sequence, tokens_);
  EXPECT_FALSE(sequence->is_stored(0));
  const BlockPayload block = sequence->block(0);
  EXPECT_TRUE(sequence->is_stored(0));
  std::uint64_t n_bytes = 0;
  for (const std::uint64_t segment : block.segments) n_bytes += segment;
  EXPECT_EQ(n_bytes, block.bytes.size());
  const std::vector<std::byte> tail = sequence->packed_rows(1, 44);

  const auto again = split.decoder.make_sequence();
  const NamelessFile whole_file(block.bytes), tail_file(tail);
  NamelessBlock whole(whole_file, kBlockTokens, kBlockTokens);
  ASSERT_TRUE(again->restore(whole, std::span(tokens_).first(kBlockTokens)));
  NamelessBlock part(tail_file, 44, 40);
  ASSERT_TRUE(again->restore(part, std::span(tokens_).subspan(kBlockTokens, 40)));
  EXPECT_EQ(again->n_tokens(), kBlockTokens + 40);
  EXPECT_LE(difference(std::span<const float>(run(split.decoder, *again,
                                                  std::span(tokens_).subspan(kBlockTokens + 40))),
                       std::span<const float>(want))
                .nmse,
            1e-9);
  NamelessBlock wrong(tail_file, 43, 40);  // of another size
  const auto third = split.decoder.make_sequence();
  EXPECT_FALSE(third->restore(wrong, std::span(tokens_).first(40)));
  EXPECT_EQ(third->n_tokens(), 0);
}

}  // namespace
}  // namespace confab::engine
