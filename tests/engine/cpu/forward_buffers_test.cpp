// SPDX-License-Identifier: MIT
#include "engine/cpu/forward_buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "engine/model/hparams.h"
#include "engine/model/layer_plan.h"
#include "kernels/attention_tile.h"

namespace confab::engine {
namespace {

using kernels::ActFormat;

// Matrices without bytes: only their shapes and types are asked for.
Matrix shaped(std::int64_t n_rows, std::int64_t n_cols, kernels::Dtype dtype) {
  Matrix m;
  m.rows = {dtype, nullptr, n_cols, 0};
  m.n_rows = n_rows;
  return m;
}

// A model whose layers want rows of every format.
struct Shapes {
  Hparams hp;
  Weights weights;

  Shapes() {
    hp.n_embd = 96;
    hp.layers.assign(2,
                     {.n_head = 6, .n_head_kv = 3, .head_dim_k = 20, .head_dim_v = 16, .n_ff = 90});
    hp.layers[1] = {.n_head = 2, .n_head_kv = 1, .head_dim_k = 10, .head_dim_v = 10, .n_ff = 100};
    hp.ropes = {{.n_rot = 20}, {.n_rot = 10}};
    hp.layers[1].rope = 1;
    hp.qk_norm = QkNorm::row;
    hp.post_norms = true;
    hp.n_layer = 2;
    hp.n_embd_per_layer = 8;
    hp.n_vocab = 301;
    weights.layers.resize(2);
    weights.output = shaped(301, 96, kernels::Dtype::Q8_0);
    weights.layers[0].ffn_down = shaped(96, 90, kernels::Dtype::F32);
    weights.layers[1].ffn_down = shaped(96, 100, kernels::Dtype::F32);
    weights.layers[1].ffn_up = shaped(100, 96, kernels::Dtype::BF16);
  }
  Plan plan() const { return {hp, weights}; }
};

struct Range {
  const std::byte* start;
  std::size_t n_bytes;
};

TEST(ForwardBuffersTest, BuffersAreApartAndAligned) {
  const Shapes shapes;
  const ForwardSizes s{.n_threads = 3, .n_batch = 7, .n_logits = 5};
  const ForwardBuffers b(shapes.plan(), s);
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
      Range{b.packed(ActFormat::bf16), 7 * kernels::act_row_bytes(ActFormat::bf16, 96)}};
  std::ranges::sort(ranges, {}, &Range::start);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(ranges[i].start) % 64, 0U);
    if (i > 0) {
      EXPECT_GE(ranges[i].start, ranges[i - 1].start + ranges[i - 1].n_bytes);
    }
  }
  const std::byte* end = ranges.back().start + ranges.back().n_bytes;
  EXPECT_LE(end, ranges.front().start + ForwardBuffers::bytes(shapes.plan(), s));
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
    hp.n_layer = 2;
    Weights weights;
    weights.layers.resize(2);
    const ForwardBuffers b({hp, weights}, {});
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
  Shapes shapes;
  const ForwardSizes sizes{.n_batch = 64};
  const std::size_t all = ForwardBuffers::bytes(shapes.plan(), sizes);
  for (LayerWeights& layer : shapes.weights.layers) layer.ffn_down = {};
  const ForwardBuffers without_f32(shapes.plan(), sizes);
  EXPECT_EQ(without_f32.packed(ActFormat::f32), nullptr);
  EXPECT_NE(without_f32.packed(ActFormat::q8), nullptr);
  EXPECT_LE(ForwardBuffers::bytes(shapes.plan(), sizes) + 64 * 100 * sizeof(float), all);
  shapes.weights.layers[1].ffn_up = {};
  const ForwardBuffers q8(shapes.plan(), sizes);
  EXPECT_EQ(q8.packed(ActFormat::bf16), nullptr);
  const ForwardBuffers exact(shapes.plan(), {.n_batch = 64, .exact = true});
  EXPECT_EQ(exact.packed(ActFormat::q8), nullptr);
  EXPECT_NE(exact.packed(ActFormat::f32), nullptr);
}

// Rows of two-byte values are padded to an even number of them, each one.
TEST(ForwardBuffersTest, RowsOfAllExpertsOfATokenHaveRoom) {
  Shapes shapes;
  constexpr int kUsed = 40, kFf = 41, kBatch = 4;
  shapes.hp.experts = {.n_expert = kUsed, .n_expert_used = kUsed, .n_ff = kFf};
  for (LayerHparams& layer : shapes.hp.layers) layer.has_experts = true;
  shapes.weights.layers[0].experts.down = {shaped(96, kFf, kernels::Dtype::BF16)};
  const ForwardBuffers b(shapes.plan(), {.n_batch = kBatch});
  const auto* workers = reinterpret_cast<const std::byte*>(b.worker(0));
  EXPECT_GE(
      workers - b.packed(ActFormat::bf16),
      static_cast<std::ptrdiff_t>(kBatch * kUsed * kernels::act_row_bytes(ActFormat::bf16, kFf)));
}

}  // namespace
}  // namespace confab::engine
