// SPDX-License-Identifier: MIT
// The memory of a pass on a graphics processor, allocated once, and the addresses that programs
// pass to each other.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cpu/rope.h"
#include "kernels/vulkan/gpu.h"

namespace confab::engine {

struct Hparams;

// One row of a pass; matches struct Row in common.glsl.
struct GpuRow {
  std::uint32_t token;
  std::uint32_t pos;
  std::uint32_t table;
};

// Activations packed for products; matches struct Packed in common.glsl. Signed bytes [n, n_cols],
// a scale for each block of 32, and the scaled sum of each 16.
struct GpuPacked {
  std::uint64_t codes = 0;
  std::uint64_t scales = 0;
  std::uint64_t sums = 0;
};

struct GpuActivations {
  std::uint64_t floats = 0;  // [n, n_cols]
  GpuPacked packed;
  std::uint64_t halves = 0;  // [n, n_cols] f16, in the layout of matrix cores (common.glsl)
  // If not 0, the activations still have to be divided by the root of the mean of their squares.
  // The squares are stored here as sums of 32 each. Programs that add to the stream ahead of a norm
  // write them (matvec.comp).
  std::uint64_t squares = 0;
  // If not 0, `floats` is the stream itself and this is the weight of its norm, [n_cols].
  std::uint64_t norm_weight = 0;
};

// The hidden rows of a feed-forward.
struct GpuHidden {
  std::uint64_t up = 0;
  GpuActivations rows;  // `floats` first holds the gate
};

// For mixtures of experts. Each token has n_expert_used choices.
struct GpuExpertBuffers {
  // The products of experts find these at fixed distances from the ids or the stream.
  std::uint64_t ids = 0;            // [n_batch, n_expert_used]
  std::uint64_t weights = 0;        // [n_batch, n_expert_used]
  std::uint64_t logits = 0;         // [n_batch, n_expert]
  std::uint64_t shared_logits = 0;  // [n_batch]
  std::uint64_t given = 0;          // [n_batch * n_expert_used, n_embd]
  // Choices sorted by expert (group.comp).
  std::uint64_t places = 0, sources = 0, tiles = 0;
  std::uint64_t grids = 0;  // [2], for products over the sorted choices
  GpuActivations gathered;  // [n_batch * n_expert_used, n_embd]
  // For shared experts, or for a dense feed-forward beside the experts.
  GpuHidden shared_hidden;         // [n_batch, n_ff_shared]
  std::uint64_t shared_given = 0;  // [n_batch, n_embd]
};
// The most tiles that n choices of n_expert experts can be cut into.
constexpr int kTileRows = 64;
constexpr std::size_t kGridBytes = 12;  // size of a grid that a program writes
constexpr int most_tiles(int n, int n_expert) noexcept {
  return (n < n_expert ? n : n_expert) + n / kTileRows;
}

// The most heads that any layer has.
struct MostHeads {
  int all = 1, of_keys = 1;
};
MostHeads most_heads(const Hparams& hp);

struct GpuBuffers {
  struct Sizes {
    int n_ctx;
    int n_batch;
    int n_logits;
    bool is_given_rows = false;  // the processor provides rows of the stream
  };
  // The most ranges of positions in attention, over all heads and rows.
  static constexpr int kMostRanges = 16384;
  // The most of a row's best logits that the device can find (top.comp).
  static constexpr int kMostTop = 64;
  static constexpr std::uint32_t kMostTopParts = 64;

  GpuBuffers(kernels::vulkan::Gpu& gpu, const Hparams& hp, const Sizes& sizes);
  // How much device memory the buffers need.
  static std::uint64_t device_bytes(const Hparams& hp, const Sizes& sizes);

  // In device memory, [n_batch, ...].
  std::uint64_t x = 0;        // residual stream
  std::uint64_t waiting = 0;  // residual that is not added yet
  GpuActivations normed;      // the stream as the next part reads it
  std::uint64_t squares = 0;  // of the stream, as sums of 32 each; only for a few rows
  std::uint64_t q = 0, k = 0, v = 0;
  std::uint64_t range_sums = 0, range_weights = 0;
  std::uint64_t ranges_done = 0;  // all zero between passes
  GpuActivations attended;
  GpuHidden hidden;
  GpuExpertBuffers experts;
  GpuActivations output;  // [n_logits, n_embd]
  std::uint64_t logits = 0;
  // Pairs of a logit and its token: the best of each part of a row, and the best of the whole row.
  std::uint64_t top_of_parts = 0, top = 0;

  // In memory that both sides see.
  std::uint64_t rows_at = 0, picked_at = 0, tables_at = 0, given_at = 0;
  std::vector<std::uint64_t> angles_at;  // for each rope: [n_batch, n_rot / 2] cosines and sines
  GpuRow* rows = nullptr;
  std::uint32_t* picked = nullptr;
  std::uint64_t* tables = nullptr;
  std::vector<float*> angles;
  float* given = nullptr;  // if is_given_rows: [n_batch, n_embd]

  // Read back by the processor: logits [n_logits, n_vocab] or the best of them, then the input of
  // the output matrix, [n_logits, n_embd].
  kernels::vulkan::Buffer result;
  std::size_t logits_offset = 0, output_offset = 0;  // in `device`
  kernels::vulkan::Buffer device;
  kernels::vulkan::Buffer shared;
  std::size_t n_tables = 0;  // how many page addresses fit into `tables`

 private:
  GpuBuffers() = default;
};

}  // namespace confab::engine
