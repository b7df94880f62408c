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
};

struct GpuBuffers {
  struct Sizes {
    int n_ctx;
    int n_batch;
    int n_logits;
  };
  // Ranges of positions that attention is cut into, of all heads and rows, at most.
  static constexpr int kMostRanges = 2048;

  GpuBuffers(kernels::vulkan::Gpu& gpu, const Hparams& hp, const Sizes& sizes);

  // Of the device; [n_batch, ...].
  std::uint64_t x = 0;        // the stream
  std::uint64_t waiting = 0;  // what is not added yet
  GpuActivations normed;      // the stream, as a part reads it
  std::uint64_t q = 0, k = 0, v = 0;
  std::uint64_t range_sums = 0, range_weights = 0;
  GpuActivations attended;
  std::uint64_t up = 0;
  GpuActivations hidden;  // its floats are the gate's at first
  GpuActivations output;  // [n_logits, n_embd]
  std::uint64_t logits = 0;

  // Of both sides.
  std::uint64_t rows_at = 0, picked_at = 0, tables_at = 0;
  std::vector<std::uint64_t> angles_at;  // of each rope, [n_batch, n_rot / 2] cosines and sines
  GpuRow* rows = nullptr;
  std::uint32_t* picked = nullptr;
  std::uint32_t* tables = nullptr;
  std::vector<float*> angles;

  // Read back: logits [n_logits, n_vocab], then what the output read, [n_logits, n_embd].
  kernels::vulkan::Buffer result;
  std::size_t logits_offset = 0, output_offset = 0;  // of device
  kernels::vulkan::Buffer device;
  kernels::vulkan::Buffer shared;
  std::size_t n_tables = 0;  // numbers of pages that there is room for
};

}  // namespace confab::engine
