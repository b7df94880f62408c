// SPDX-License-Identifier: MIT
#include "engine/cpu/forward_buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "engine/model/hparams.h"
#include "kernels/attention_tile.h"

namespace confab::engine {
namespace {

using kernels::ActFormat;

Hparams sizes() {
  Hparams hp;
  hp.n_embd = 96;
  hp.layers.assign(2,
                   {.n_head = 6, .n_head_kv = 3, .head_dim_k = 20, .head_dim_v = 16, .n_ff = 90});
  hp.layers[1] = {.n_head = 2, .n_head_kv = 1, .head_dim_k = 10, .head_dim_v = 10, .n_ff = 100};
  hp.ropes = {{.n_rot = 20}, {.n_rot = 10}};
  hp.qk_norm = QkNorm::row;
  hp.post_norms = true;
  hp.n_layer = 2;
  hp.n_embd_per_layer = 8;
  hp.n_vocab = 301;
  return hp;
}

struct Range {
  const std::byte* start;
  std::size_t n_bytes;
};

TEST(ForwardBuffersTest, BuffersAreApartAndAligned) {
  const Hparams hp = sizes();
  const ForwardSizes s{.n_threads = 3, .n_batch = 7, .n_logits = 5, .packed = {true, true, true}};
  const ForwardBuffers b(hp, s);
  const auto floats = [](const float* start, std::size_t n) {
    return Range{reinterpret_cast<const std::byte*>(start), n * sizeof(float)};
  };
  const std::size_t n_partials =
      kernels::kAttentionSlices * kernels::attention_partial_floats(2, 16);
  std::vector<Range> ranges{
      floats(b.x(), 7 * 96),
      floats(b.q(), 7 * 120),
      floats(b.att(), 7 * 96),
      floats(b.attention_partials(0), n_partials),
      floats(b.attention_partials(1), n_partials),
      floats(b.attention_partials(2), n_partials),
      floats(b.hidden(), 7 * 100),
      floats(b.logits(), 5 * 301),
      floats(b.k(), 7 * 60),
      floats(b.y(), 7 * 96),
      floats(b.per_layer(), 7 * 16),
      floats(b.cosines(0), 7 * 10),
      floats(b.cosines(1), 7 * 5),
      floats(b.sines(0), 7 * 10),
      floats(b.sines(1), 7 * 5),
      floats(b.worker(0), 7 * 64),
      floats(b.worker(1), 7 * 64),
      floats(b.worker(2), 7 * 64),
      Range{b.packed(ActFormat::f32), 7 * kernels::act_row_bytes(ActFormat::f32, 100)},
      Range{b.packed(ActFormat::q8), 7 * kernels::act_row_bytes(ActFormat::q8, 96)},
      Range{b.packed(ActFormat::bf16), 7 * kernels::act_row_bytes(ActFormat::bf16, 100)}};
  std::ranges::sort(ranges, {}, &Range::start);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(ranges[i].start) % 64, 0U);
    if (i > 0) {
      EXPECT_GE(ranges[i].start, ranges[i - 1].start + ranges[i - 1].n_bytes);
    }
  }
  const std::byte* end = ranges.back().start + ranges.back().n_bytes;
  EXPECT_LE(end, ranges.front().start + ForwardBuffers::bytes(hp, s));
}

// However a layer's attention is cut, and whichever layer it is.
TEST(ForwardBuffersTest, PartsOfAttentionHaveRoomForEveryCut) {
  std::mt19937 rng(44);
  const auto up_to = [&](unsigned n) { return 1 + static_cast<int>(rng() % n); };
  for (int i = 0; i < 200; ++i) {
    Hparams hp;
    for (int il = 0; il < 2; ++il) {
      const int n_head_kv = 1 + up_to(4);
      hp.layers.push_back({.n_head = up_to(40) * n_head_kv,
                           .n_head_kv = n_head_kv,
                           .head_dim_k = up_to(300),
                           .head_dim_v = up_to(300)});
    }
    const ForwardBuffers b(hp, {});
    const auto n_floats =
        static_cast<std::size_t>(b.attention_partials(1) - b.attention_partials(0));
    for (const LayerHparams& l : hp.layers) {
      const int n_group = std::min(l.n_head / l.n_head_kv, kernels::kAttentionGroup);
      for (int n = 1; n <= kernels::kAttentionSlices; ++n) {
        const auto n_slices = static_cast<std::size_t>(kernels::kAttentionSlices / n);
        ASSERT_LE(n_slices * kernels::attention_partial_floats(n * n_group, l.head_dim_v), n_floats)
            << n << " queries, " << l.n_head << " heads of " << l.head_dim_v;
      }
    }
  }
}

TEST(ForwardBuffersTest, AFormatThatNoMatrixWantsTakesNoRoom) {
  const ForwardSizes both{.n_batch = 64, .packed = {.f32 = true, .q8 = true}};
  const ForwardSizes q8{.n_batch = 64, .packed = {.q8 = true}};
  EXPECT_EQ(ForwardBuffers(sizes(), q8).packed(ActFormat::f32), nullptr);
  EXPECT_EQ(ForwardBuffers(sizes(), q8).packed(ActFormat::bf16), nullptr);
  EXPECT_GE(ForwardBuffers::bytes(sizes(), both),
            ForwardBuffers::bytes(sizes(), q8) + 64 * 100 * sizeof(float));
}

}  // namespace
}  // namespace confab::engine
