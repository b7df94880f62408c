// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_pages.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/cache/page_pool.h"
#include "engine/model/hparams.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

class GpuPagesTest : public testing::Test {
 protected:
  void SetUp() override {
    CONFAB_NEEDS_GPU();
    gpu_ = std::make_unique<kernels::vulkan::Gpu>(*kernels::vulkan::some_gpu());
    hp_.n_layer = 1;
    hp_.layers.push_back({.n_head = 2, .n_head_kv = 1, .head_dim_k = 32, .head_dim_v = 32});
    pool_ = std::make_unique<GpuPagePool>(*gpu_, KvLayout(hp_, Dtype::Q8_0, Dtype::Q8_0), 3);
  }
  std::vector<std::byte> some_block(unsigned seed) const {
    std::mt19937 rng(seed);
    std::vector<std::byte> block(pool_->layout().block_bytes());
    for (std::byte& b : block) b = static_cast<std::byte>(rng());
    return block;
  }
  std::vector<std::byte> read(const GpuPage& page) const {
    std::vector<std::byte> block(pool_->layout().block_bytes());
    pool_->read(page, block);
    return block;
  }

  Hparams hp_;
  std::unique_ptr<kernels::vulkan::Gpu> gpu_;
  std::unique_ptr<GpuPagePool> pool_;
};

// A block in memory, as a store gives it.
class BlockOf final : public StoredBlock {
 public:
  BlockOf(std::vector<std::byte> bytes, int n) : bytes_(std::move(bytes)), n_(n) {}
  std::span<const std::byte> payload() const noexcept override { return bytes_; }
  int n_stored() const noexcept override { return n_; }
  int n_tokens() const noexcept override { return n_; }
  bool move_to(std::byte*) noexcept override { return false; }

 private:
  std::vector<std::byte> bytes_;
  int n_;
};

// Nobody writes to most of it, so that it is hardly there.
TEST_F(GpuPagesTest, MoreThanADriverGivesAtOnceIsCut) {
  const std::uint64_t most = gpu_->info().most_at_once_bytes;
  ASSERT_GE(most, std::uint64_t{1} << 30) << "as Vulkan has it";
  if (most > std::uint64_t{4} << 30) GTEST_SKIP() << "it gives as much as there is";
  const KvLayout layout(hp_, Dtype::Q8_0, Dtype::Q8_0);
  const int n_pages = static_cast<int>(most / layout.block_bytes()) + 2;
  GpuPagePool pool(*gpu_, layout, n_pages);
  std::vector<GpuPageRef> pages;
  while (pool.n_free() > 0) pages.push_back(pool.take());
  const std::vector<std::byte> block = some_block(3), other = some_block(4);
  pool.write(*pages.back(), block);
  pool.write(*pages.front(), other);
  EXPECT_EQ(pages.back()->number, static_cast<std::uint32_t>(n_pages - 1));
  std::vector<std::byte> got(layout.block_bytes());
  pool.read(*pages.back(), got);
  EXPECT_EQ(got, block);
  pages.erase(pages.begin() + 1);
  const GpuPageRef copied = pool.copy(*pages.back());
  pool.read(*copied, got);
  EXPECT_EQ(got, block) << "from one range to another";
  pool.read(*pages.front(), got);
  EXPECT_EQ(got, other);
}

TEST_F(GpuPagesTest, APageThatIsLetGoCanBeTakenAgain) {
  EXPECT_EQ(pool_->n_free(), 3);
  {
    const GpuPageRef a = pool_->take(), b = pool_->take(), c = pool_->take();
    EXPECT_EQ(pool_->n_free(), 0);
    EXPECT_THROW(pool_->take(), OutOfPages);
  }
  EXPECT_EQ(pool_->n_free(), 3);
}

TEST_F(GpuPagesTest, AForkThatGoesOnHasACopyOfTheLastPage) {
  GpuSequence first(*pool_);
  const std::vector<Token> tokens(100, 1);
  first.make_room(100);
  first.append(tokens);
  pool_->write(*first.page(0), some_block(1));
  const std::unique_ptr<Sequence> fork = first.fork(60);
  EXPECT_EQ(fork->n_tokens(), 60);
  EXPECT_EQ(pool_->n_free(), 2);
  auto& second = static_cast<GpuSequence&>(*fork);
  second.make_room(1);
  EXPECT_EQ(pool_->n_free(), 1);
  EXPECT_NE(second.page(0)->number, first.page(0)->number);
  EXPECT_EQ(read(*second.page(0)), some_block(1));
}

TEST_F(GpuPagesTest, WithoutRoomASequenceIsAsItWas) {
  GpuSequence sequence(*pool_);
  sequence.make_room(10);
  sequence.append(std::vector<Token>(10, 1));
  EXPECT_THROW(sequence.make_room(4 * kBlockTokens), OutOfPages);
  EXPECT_EQ(sequence.n_tokens(), 10);
  EXPECT_EQ(sequence.n_pages(), 1);
  EXPECT_EQ(pool_->n_free(), 2);
}

TEST_F(GpuPagesTest, BlocksGoToAStoreAndComeBack) {
  const std::vector<Token> tokens(kBlockTokens + 40, 1);
  GpuSequence sequence(*pool_);
  sequence.make_room(static_cast<int>(tokens.size()));
  sequence.append(tokens);
  pool_->write(*sequence.page(0), some_block(2));
  const BlockPayload payload = sequence.block(0);
  BlockOf whole({payload.bytes.begin(), payload.bytes.end()}, kBlockTokens);
  BlockOf tail(sequence.packed_rows(0, 40), 40);
  const std::vector<std::byte> rows = sequence.packed_rows(0, 40);
  ASSERT_EQ(sequence.truncate(0), 0);
  EXPECT_EQ(sequence.restore(whole, std::span(tokens).first(kBlockTokens)), payload.bytes.size());
  EXPECT_TRUE(sequence.is_stored(0));
  EXPECT_EQ(read(*sequence.page(0)), some_block(2));
  ASSERT_TRUE(sequence.restore(tail, std::span(tokens).first(40)));
  EXPECT_EQ(sequence.n_tokens(), kBlockTokens + 40);
  EXPECT_FALSE(sequence.is_stored(1));
  EXPECT_EQ(sequence.packed_rows(1, 40), rows);
}

TEST_F(GpuPagesTest, ABlockOfAnotherSizeIsNotTaken) {
  GpuSequence sequence(*pool_);
  BlockOf wrong(std::vector<std::byte>(1000), kBlockTokens);
  const std::vector<Token> tokens(kBlockTokens, 1);
  EXPECT_EQ(sequence.restore(wrong, tokens), std::nullopt);
  EXPECT_EQ(sequence.n_tokens(), 0);
  EXPECT_EQ(pool_->n_free(), 3);
}

}  // namespace
}  // namespace confab::engine
