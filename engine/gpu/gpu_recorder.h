// SPDX-License-Identifier: MIT
// Records a pass of a given shape as a list of commands.
#pragma once

#include "engine/gpu/gpu_buffers.h"
#include "engine/gpu/gpu_model.h"
#include "engine/gpu/gpu_pages.h"

namespace confab::engine {

// Everything that is fixed when a pass is recorded.
struct GpuPassShape {
  int n_rows;
  int n_wanted;  // rows of logits
  int n_top;     // how many of the best logits each row returns; 0: all of them
  int n_range;   // positions in one range of attention
  int n_ranges;
  bool by_tiles;  // attention works on tiles of queries, for heads that allow it
  auto operator<=>(const GpuPassShape&) const = default;
};

// The objects that a pass is recorded from. They must outlive the commands.
struct GpuPassParts {
  kernels::vulkan::Gpu& gpu;
  const GpuModel& model;
  const GpuPagePool& pool;
};

// The rows of a pass, and the fewest that any of its sequences has.
struct PassRows {
  int n;
  int n_least;
};
// Cuts the positions into ranges so that a few rows still keep the device busy. n_positions is the
// length of the longest sequence after the pass.
GpuPassShape pass_shape(const Hparams& hp, PassRows rows, int n_wanted, int n_positions);

void record_pass(const GpuPassParts& parts, const GpuBuffers& buffers, const GpuPassShape& shape,
                 kernels::vulkan::Commands& commands);

// Layers [begin, end) of a pass. The first layers include the embedding, the last ones the output.
// Only passes of more than kMostFew rows can be cut this way: smaller ones carry recorder state
// from layer to layer.
struct GpuLayerRange {
  std::size_t begin, end;
};
void record_layers(const GpuPassParts& parts, const GpuBuffers& buffers, const GpuPassShape& shape,
                   GpuLayerRange layers, kernels::vulkan::Commands& commands);

}  // namespace confab::engine
