// SPDX-License-Identifier: MIT
#include "engine/cache/kv_layout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "engine/model/hparams.h"

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
