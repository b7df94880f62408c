// SPDX-License-Identifier: MIT
// Records a pass of a shape as a list of commands.
#pragma once

#include "engine/gpu/gpu_buffers.h"
#include "engine/gpu/gpu_model.h"
#include "engine/gpu/gpu_pages.h"

namespace confab::engine {

// All that is fixed when a pass is recorded.
struct GpuPassShape {
  int n_rows;
  int n_wanted;  // rows of logits
  int n_top;     // of each, the best; 0: all
  int n_range;   // positions of a range of attention
  int n_ranges;
  bool by_tiles;  // attention takes tiles of queries, of heads that it can
  auto operator<=>(const GpuPassShape&) const = default;
};

// What a pass is recorded from; must outlive the commands.
struct GpuPassParts {
  kernels::vulkan::Gpu& gpu;
  const GpuModel& model;
  const GpuPagePool& pool;
};

// Rows of a pass, and how many the sequence has of them that has least.
struct PassRows {
  int n;
  int n_least;
};
// Positions are cut into ranges so that few rows keep the device busy; n_positions: that the
// longest sequence has after the pass.
GpuPassShape pass_shape(const Hparams& hp, PassRows rows, int n_wanted, int n_positions);

void record_pass(const GpuPassParts& parts, const GpuBuffers& buffers, const GpuPassShape& shape,
                 kernels::vulkan::Commands& commands);

// A part of it: layers [begin, end), with the embedding if they are the first, and the output if
// they are the last. Only passes of more than kMostFew rows hand nothing but memory from one layer
// to the next.
struct GpuLayerRange {
  std::size_t begin, end;
};
void record_layers(const GpuPassParts& parts, const GpuBuffers& buffers, const GpuPassShape& shape,
                   GpuLayerRange layers, kernels::vulkan::Commands& commands);

}  // namespace confab::engine
