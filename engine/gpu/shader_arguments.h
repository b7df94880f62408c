// SPDX-License-Identifier: MIT
// The push constants of the programs in kernels/vulkan/shaders, in their order. Address 0 means
// absent.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "engine/gpu/gpu_buffers.h"
#include "engine/gpu/gpu_weights.h"

namespace confab::engine {

struct EmbedArguments {
  std::uint64_t table, rows, x, grid;
  std::uint32_t n_embd, row_bytes;
  float scale;
};
struct NormArguments {
  std::uint64_t x, waiting, post_weight, post_bias, x_scale, weight, bias, normed;
  GpuPacked packed;
  std::uint64_t halves, picked;
  std::uint32_t n_cols;
  float eps, residual_scale;
};
struct MatvecArguments {
  std::uint64_t w = 0, w2 = 0, bias = 0, bias2 = 0;
  GpuPacked x{}, y{};  // floats are passed in `codes`
  std::uint64_t ids = 0, squares = 0, grid = 0;
  std::uint32_t n_rows = 0, n_cols = 0, row_bytes = 0;
  float scale = 1, scale2 = 1, added = 1;

  MatvecArguments(const GpuMatrix& m, std::uint64_t ids_of_experts)
      : w(m.data),
        bias(m.bias),
        ids(ids_of_experts),
        grid(m.grid),
        n_rows(m.n_rows),
        n_cols(m.n_cols),
        row_bytes(m.row_bytes),
        scale(m.scale) {}
};
// The constants of matvec (few.glsl, matvec.comp).
struct MatvecConstants {
  std::uint32_t n_invocations, n_tokens = 1, n_rows = 1, what = 0, activation = 0, n_sharing = 0,
                               n_steps = 1;
  float norm_eps = 0;
  std::uint32_t small_steps = 0, n_summed = 0, ids_at = 0, weights_at = 0, n_cols = 0, norms_x = 0,
                chooses = 0, logits_at = 0, gating = 0, n_routed = 1, n_used = 1, normalises = 0;

  std::vector<std::uint32_t> words() const {
    constexpr std::size_t n = sizeof(MatvecConstants) / sizeof(std::uint32_t);
    const auto all = std::bit_cast<std::array<std::uint32_t, n>>(*this);
    return {all.begin(), all.end()};
  }
};
struct MatmulArguments {
  std::uint64_t w, bias;
  GpuPacked x;  // floats, or f16 for matrix cores, are passed in `codes`
  std::uint64_t y, tiles, expert_bytes, grid;
  std::uint32_t n_rows, n_cols, row_bytes, n_tokens;
  float scale, added;
};
// Offsets are in units of 16 bytes, as in cache.glsl. halves == 0 means that no f16 are written.
struct HeadsArguments {
  std::uint64_t device, both, q_norm, k_norm, sinks;
  std::uint32_t rows, tables, angles;
  std::uint32_t q, k, v, sums, weights, n_done, codes, scales, code_sums, halves;
  std::uint32_t k_offset, v_offset, n_range, n_rows;
};
struct RouteArguments {
  std::uint64_t logits, selection_bias, output_scales, ids, weights;
  float weights_scale;
};
struct GroupArguments {
  std::uint64_t ids, places, sources, tiles, grids;
  std::uint32_t n, hidden_width, given_width;
};
struct GatherArguments {
  std::uint64_t sources;
  GpuPacked from, to;
  std::uint64_t from_floats, to_floats, from_halves, to_halves;
  std::uint32_t n_cols;
};
struct CombineArguments {
  std::uint64_t given, weights, places, shared_given, shared_logits, y;
  std::uint64_t norm, floats, squares;
  GpuPacked packed;
  std::uint32_t n_cols;
  float scale;
};
struct ActivateArguments {
  std::uint64_t gate, up;
  GpuPacked packed;
  std::uint64_t halves;
  std::uint32_t n_quarters;
};
struct TopArguments {
  std::uint64_t from, best;
  std::uint32_t n;
};
struct LogitsArguments {
  std::uint64_t logits;
  std::uint32_t n;
  float scale, cap;
};

}  // namespace confab::engine
