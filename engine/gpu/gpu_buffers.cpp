// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_buffers.h"

#include <algorithm>

#include "engine/cache/kv_layout.h"
#include "engine/model/hparams.h"

namespace confab::engine {

using kernels::vulkan::Memory;

namespace {

// Takes pieces of a range that is made when all sizes are known.
class Pieces {
 public:
  std::size_t take(std::size_t n_bytes) {
    const std::size_t at = n_;
    n_ += (n_bytes + 255) / 256 * 256;
    return at;
  }
  std::size_t floats(std::size_t n) { return take(n * sizeof(float)); }
  std::size_t size() const noexcept { return n_; }

 private:
  std::size_t n_ = 0;
};

// Values of a row, the most that a layer has.
struct Widths {
  std::size_t q = 0, k = 0, v = 0, attended = 0, hidden = 0, ranges = 0;
};

Widths widths_of(const Hparams& hp) {
  Widths w;
  const auto most = [](std::size_t& a, int b, int c) {
    a = std::max(a, static_cast<std::size_t>(b) * static_cast<std::size_t>(c));
  };
  for (const LayerHparams& layer : hp.layers) {
    most(w.q, layer.n_head, layer.head_dim_k);
    most(w.k, layer.n_head_kv, layer.head_dim_k);
    most(w.v, layer.n_head_kv, layer.head_dim_v);
    most(w.attended, layer.n_head, layer.head_dim_v);
    most(w.hidden, layer.n_ff, 1);
    most(w.ranges, layer.head_dim_v + 2, 1);
  }
  return w;
}

struct Packed {
  std::size_t floats, codes, scales, sums;
};

Packed take_packed(Pieces& pieces, std::size_t n) {
  return {pieces.floats(n), pieces.take(n), pieces.floats(n / 32), pieces.floats(n / 16)};
}

GpuActivations at(std::uint64_t base, const Packed& p) {
  return {base + p.floats, {base + p.codes, base + p.scales, base + p.sums}};
}

}  // namespace

GpuBuffers::GpuBuffers(kernels::vulkan::Gpu& gpu, const Hparams& hp, const Sizes& sizes) {
  const Widths w = widths_of(hp);
  const auto n = static_cast<std::size_t>(sizes.n_batch);
  const auto n_out = static_cast<std::size_t>(sizes.n_logits);
  const auto n_embd = static_cast<std::size_t>(hp.n_embd);
  const auto n_head = static_cast<std::size_t>(
      std::ranges::max_element(hp.layers, {}, &LayerHparams::n_head)->n_head);
  const std::size_t n_ranges = std::max<std::size_t>(kMostRanges, n * n_head);
  Pieces of_device;
  const std::size_t x_at = of_device.floats(n * n_embd);
  const std::size_t waiting_at = of_device.floats(n * n_embd);
  const Packed normed_at = take_packed(of_device, n * n_embd);
  const std::size_t q_at = of_device.floats(n * w.q), k_at = of_device.floats(n * w.k);
  const std::size_t v_at = of_device.floats(n * w.v);
  const std::size_t sums_at = of_device.floats(n_ranges * w.ranges);
  const std::size_t weights_at = of_device.floats(n_ranges * 2);
  const Packed attended_at = take_packed(of_device, n * w.attended);
  const std::size_t up_at = of_device.floats(n * w.hidden);
  const Packed hidden_at = take_packed(of_device, n * w.hidden);
  const Packed output_at = take_packed(of_device, n_out * n_embd);
  logits_offset = of_device.floats(n_out * static_cast<std::size_t>(hp.n_vocab));
  output_offset = output_at.floats;
  device = gpu.allocate(of_device.size(), Memory::device);
  const std::uint64_t base = device.address();
  x = base + x_at;
  waiting = base + waiting_at;
  normed = at(base, normed_at);
  q = base + q_at;
  k = base + k_at;
  v = base + v_at;
  range_sums = base + sums_at;
  range_weights = base + weights_at;
  attended = at(base, attended_at);
  up = base + up_at;
  hidden = at(base, hidden_at);
  output = at(base, output_at);
  logits = base + logits_offset;

  Pieces of_both;
  const std::size_t rows_offset = of_both.take(n * sizeof(GpuRow));
  const std::size_t picked_offset = of_both.take(n_out * sizeof(std::uint32_t));
  // Each row may be of another sequence.
  n_tables = static_cast<std::size_t>(count_blocks(sizes.n_ctx)) * std::min<std::size_t>(n, 256);
  const std::size_t tables_offset = of_both.take(n_tables * sizeof(std::uint32_t));
  std::vector<std::size_t> angles_offset;
  for (const RopeHparams& rope : hp.ropes)
    angles_offset.push_back(of_both.floats(n * static_cast<std::size_t>(rope.n_rot)));
  shared = gpu.allocate(of_both.size(), Memory::shared);
  rows_at = shared.address() + rows_offset;
  picked_at = shared.address() + picked_offset;
  tables_at = shared.address() + tables_offset;
  rows = reinterpret_cast<GpuRow*>(shared.data() + rows_offset);
  picked = reinterpret_cast<std::uint32_t*>(shared.data() + picked_offset);
  tables = reinterpret_cast<std::uint32_t*>(shared.data() + tables_offset);
  for (const std::size_t offset : angles_offset) {
    angles_at.push_back(shared.address() + offset);
    angles.push_back(reinterpret_cast<float*>(shared.data() + offset));
  }
  result = gpu.allocate(n_out * (static_cast<std::size_t>(hp.n_vocab) + n_embd) * sizeof(float),
                        Memory::readback);
}

}  // namespace confab::engine
