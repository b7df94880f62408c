// SPDX-License-Identifier: MIT
#include "engine/cache/kv_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "engine/model/hparams.h"
#include "engine/platform/mapped_range.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

Hparams sizes() {
  Hparams hp;
  hp.layers.assign(3, {.n_head = 4, .n_head_kv = 2, .head_dim_k = 64, .head_dim_v = 32});
  return hp;
}

std::vector<std::byte> numbered(std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i * 31 % 251);
  return bytes;
}

TEST(KvLayoutTest, RowsOfAHeadFollowEachOther) {
  const KvLayout layout(sizes(), Dtype::Q8_0, Dtype::F16);
  const KvLayout::Layer& layer = layout.layer(1);
  EXPECT_EQ(KvLayout::row_offset(layer.k, 0, 0), layer.k.offset);
  EXPECT_EQ(KvLayout::row_offset(layer.k, 0, 300), layer.k.offset + 44 * layer.k.row_bytes);
  EXPECT_EQ(KvLayout::row_offset(layer.v, 1, 0), layer.v.offset + 256 * layer.v.row_bytes);
  EXPECT_EQ(layout.block_bytes() % 65536, 0U);
}

TEST(KvLayoutTest, TheSegmentsOfABlockAreAllOfIt) {
  const KvLayout layout(sizes(), Dtype::Q8_0, Dtype::F16);
  for (const int n : {1, 100, 255, 256}) {
    const auto segments = layout.segments(n);
    EXPECT_EQ(std::accumulate(segments.begin(), segments.end(), std::size_t{0}),
              layout.payload_bytes(n))
        << n;
  }
  EXPECT_EQ(layout.payload_bytes(256), layout.block_bytes());
  EXPECT_EQ(layout.payload_bytes(1), 3 * 2 * (68 + 64U));
}

// Two heads of 32 values in F32: the keys and values of a layer are 2 * 2 * 32 KiB of a block.
Hparams looking_back(std::initializer_list<int> windows) {
  Hparams hp;
  for (const int window : windows)
    hp.layers.push_back(
        {.n_head = 4, .n_head_kv = 2, .head_dim_k = 32, .head_dim_v = 32, .window = window});
  return hp;
}
constexpr std::size_t kLayerBytes = std::size_t{2} * 2 * 256 * 32 * 4;

std::vector<std::size_t> windowed(const Hparams& hp) {
  const KvLayout layout(hp, Dtype::F32, Dtype::F32);
  std::vector<std::size_t> places;
  for (const auto& [begin, end] : layout.windowed()) {
    places.push_back(begin / kLayerBytes);
    places.push_back(end / kLayerBytes);
    EXPECT_EQ(begin % kLayerBytes + end % kLayerBytes, 0U);
  }
  return places;
}

TEST(KvLayoutTest, LayersWithAWindowThatFollowEachOtherAreOneRange) {
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(windowed(looking_back({0, 0})), Places{});
  EXPECT_EQ(windowed(looking_back({9, 9, 0, 9, 0})), (Places{0, 2, 3, 4}));
  EXPECT_EQ(windowed(looking_back({0, 9, 9})), (Places{1, 3}));
  Hparams shared = looking_back({9, 9, 0, 9, 0});
  shared.layers[3].kv_layer = 0;
  EXPECT_EQ(windowed(shared), (Places{0, 2})) << "only the last has its own rows behind those";
  shared.layers[4].kv_layer = 1;
  EXPECT_EQ(windowed(shared), (Places{0, 1})) << "of the second, the last reads all";
}

TEST(KvLayoutTest, OnlyWholePagesOfMemoryAreWindowed) {
  Hparams hp = looking_back({0, 9, 0});
  hp.layers[0].n_head_kv = 1;
  for (LayerHparams& layer : hp.layers) layer.head_dim_k = layer.head_dim_v = 33;
  const KvLayout layout(hp, Dtype::F32, Dtype::F32);
  ASSERT_EQ(layout.windowed().size(), 1U);
  const std::size_t page = platform::page_bytes(), row = 256 * 33 * 4;
  const auto [begin, end] = layout.windowed()[0];
  EXPECT_EQ(begin % page + end % page, 0U);
  EXPECT_GE(begin, 2 * row);
  EXPECT_LE(end, 6 * row);
  EXPECT_LT(begin - 2 * row + 6 * row - end, 2 * page);
  EXPECT_EQ(layout.windowed_bytes(), end - begin);
}

TEST(KvLayoutTest, ABlockIsSpentWhenNoTokenThatMayComeReadsIt) {
  const KvLayout layout(looking_back({300, 0, 200}), Dtype::F32, Dtype::F32);
  for (const int n : {1, 256, 1024, 1324, 1579, 1580, 5000, 5001}) {
    const int n_spent = layout.n_spent(n);
    // The first that is read after the slack is taken back, and the last that is not.
    const int first_row = std::max(0, n - kWindowSlack - 299);
    EXPECT_LE(n_spent * kBlockTokens, first_row) << n;
    EXPECT_GT((n_spent + 1) * kBlockTokens, first_row) << n;
    EXPECT_LE(count_blocks(n + 64) - n_spent, layout.n_unspent(8192, 64)) << n;
  }
  EXPECT_EQ(layout.n_unspent(8192, 64), 7) << "of 1387 rows";
  EXPECT_EQ(layout.n_unspent(1000, 64), 4) << "all of them";
  const KvLayout all(looking_back({0, 0}), Dtype::F32, Dtype::F32);
  EXPECT_EQ(all.n_spent(8000), 0);
  EXPECT_EQ(all.n_unspent(8192, 64), 32);
}

TEST(KvLayoutTest, PackedRowsComeBackToTheirPlaces) {
  const KvLayout layout(sizes(), Dtype::Q8_0, Dtype::F16);
  const std::vector<std::byte> block = numbered(layout.block_bytes());
  const std::vector<std::byte> packed = layout.packed_rows(block.data(), 40);
  std::vector<std::byte> other(layout.block_bytes());
  layout.copy_rows(packed.data(), 40, 10, other.data());
  EXPECT_EQ(layout.packed_rows(other.data(), 10), layout.packed_rows(block.data(), 10));
  const KvLayout::Slice& k = layout.layer(2).k;
  EXPECT_EQ(other[KvLayout::row_offset(k, 1, 10)], std::byte{0}) << "the eleventh row";
}

}  // namespace
}  // namespace confab::engine
