// SPDX-License-Identifier: MIT
// The memory of a pass on a graphics processor, made once: addresses of what programs hand on.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cpu/rope.h"
#include "kernels/vulkan/gpu.h"

namespace confab::engine {

struct Hparams;

// Of a pass, as the programs' struct Row (common.glsl).
struct GpuRow {
  std::uint32_t token;
  std::uint32_t pos;
  std::uint32_t table;
};

// Activations packed for products, as the programs' struct Packed (common.glsl): signed bytes [n,
// n_cols], a scale for each block of 32, and the scaled sum of each 16.
struct GpuPacked {
  std::uint64_t codes = 0;
  std::uint64_t scales = 0;
  std::uint64_t sums = 0;
};

struct GpuActivations {
  std::uint64_t floats = 0;  // [n, n_cols]
  GpuPacked packed;
  std::uint64_t halves = 0;  // [n, n_cols] f16, as matrix cores take them (common.glsl)
  // Unless 0, these are to be divided by the root of the mean of their squares, which are there as
  // sums of 32 each: what the programs give that add to the stream for a norm (matvec.comp).
  std::uint64_t squares = 0;
  // Unless 0, the floats are the stream itself, and this is the norm's weight: [n_cols].
  std::uint64_t norm_weight = 0;
};

// The hidden rows of a feed-forward.
struct GpuHidden {
  std::uint64_t up = 0;
  GpuActivations rows;  // its floats are the gate's at first
};

// Of mixtures of experts: a token has n_expert_used choices.
struct GpuExpertBuffers {
  // Of these, the products of experts know how far behind the ids or the stream they are.
  std::uint64_t ids = 0;            // [n_batch, n_expert_used]
  std::uint64_t weights = 0;        // [n_batch, n_expert_used]
  std::uint64_t logits = 0;         // [n_batch, n_expert]
  std::uint64_t shared_logits = 0;  // [n_batch]
  std::uint64_t given = 0;          // [n_batch * n_expert_used, n_embd]
  // In the order of their experts (group.comp).
  std::uint64_t places = 0, sources = 0, tiles = 0;
  std::uint64_t grids = 0;  // [2] of products over these
  GpuActivations gathered;  // [n_batch * n_expert_used, n_embd]
  // Of shared experts, or a plain feed-forward beside them.
  GpuHidden shared_hidden;         // [n_batch, n_ff_shared]
  std::uint64_t shared_given = 0;  // [n_batch, n_embd]
};
// Tiles that n choices of n_expert experts are cut into, at most.
constexpr int kTileRows = 64;
constexpr std::size_t kGridBytes = 12;  // of a grid that a program writes
constexpr int most_tiles(int n, int n_expert) noexcept {
  return (n < n_expert ? n : n_expert) + n / kTileRows;
}

// Heads of a layer, the most that there are.
struct MostHeads {
  int all = 1, of_keys = 1;
};
MostHeads most_heads(const Hparams& hp);

struct GpuBuffers {
  struct Sizes {
    int n_ctx;
    int n_batch;
    int n_logits;
    bool is_given_rows = false;  // of the stream, by the processor
  };
  // Ranges of positions that attention is cut into, of all heads and rows, at most.
  static constexpr int kMostRanges = 16384;
  // The best logits of a row that are found on the device, at most (top.comp).
  static constexpr int kMostTop = 64;
  static constexpr std::uint32_t kMostTopParts = 64;

  GpuBuffers(kernels::vulkan::Gpu& gpu, const Hparams& hp, const Sizes& sizes);
  // What these take of the device's memory.
  static std::uint64_t device_bytes(const Hparams& hp, const Sizes& sizes);

  // Of the device; [n_batch, ...].
  std::uint64_t x = 0;        // the stream
  std::uint64_t waiting = 0;  // what is not added yet
  GpuActivations normed;      // the stream, as a part reads it
  std::uint64_t squares = 0;  // of the stream, sums of 32 each, of few rows
  std::uint64_t q = 0, k = 0, v = 0;
  std::uint64_t range_sums = 0, range_weights = 0;
  std::uint64_t ranges_done = 0;  // zeros between passes
  GpuActivations attended;
  GpuHidden hidden;
  GpuExpertBuffers experts;
  GpuActivations output;  // [n_logits, n_embd]
  std::uint64_t logits = 0;
  // The best of these, pairs of a logit and its token: of parts of each row, and of all.
  std::uint64_t top_of_parts = 0, top = 0;

  // Of both sides.
  std::uint64_t rows_at = 0, picked_at = 0, tables_at = 0, given_at = 0;
  std::vector<std::uint64_t> angles_at;  // of each rope, [n_batch, n_rot / 2] cosines and sines
  GpuRow* rows = nullptr;
  std::uint32_t* picked = nullptr;
  std::uint64_t* tables = nullptr;
  std::vector<float*> angles;
  float* given = nullptr;  // is_given_rows: [n_batch, n_embd]

  // Read back: logits [n_logits, n_vocab], or the best of them, then what the output read,
  // [n_logits, n_embd].
  kernels::vulkan::Buffer result;
  std::size_t logits_offset = 0, output_offset = 0;  // of device
  kernels::vulkan::Buffer device;
  kernels::vulkan::Buffer shared;
  std::size_t n_tables = 0;  // addresses of pages that there is room for

 private:
  GpuBuffers() = default;
};

}  // namespace confab::engine
