// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_buffers.h"

#include <algorithm>
#include <utility>

#include "engine/cache/kv_layout.h"
#include "engine/model/hparams.h"

namespace confab::engine {

using kernels::vulkan::Memory;

namespace {

// Collects pieces of one range of memory, which is allocated once all sizes are known.
class Pieces {
 public:
  void take(std::uint64_t& address, std::size_t n_bytes) {
    pieces_.push_back({&address, n_});
    n_ += (n_bytes + 255) / 256 * 256;
  }
  void words(std::uint64_t& address, std::size_t n) { take(address, n * sizeof(std::uint32_t)); }
  void packed(GpuPacked& of, std::size_t n) {
    take(of.codes, n);
    words(of.scales, n / 32);
    words(of.sums, n / 16);
  }
  void activations(GpuActivations& of, std::size_t n) {
    words(of.floats, n);
    packed(of.packed, n);
    take(of.halves, 2 * n);
  }
  void hidden(GpuHidden& of, std::size_t n) {
    words(of.up, n);
    activations(of.rows, n);
  }
  std::size_t size() const noexcept { return n_; }
  void place(std::uint64_t base) const {
    for (const auto& [address, offset] : pieces_) *address = base + offset;
  }

 private:
  std::size_t n_ = 0;
  std::vector<std::pair<std::uint64_t*, std::size_t>> pieces_;
};

std::size_t product(int a, int b) noexcept {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

// The most values per row that any layer needs.
struct Widths {
  std::size_t q = 0, k = 0, v = 0, attended = 0, hidden = 0, ranges = 0;
};

Widths widths_of(const Hparams& hp) {
  Widths w;
  const auto most = [](std::size_t& a, int b, int c) { a = std::max(a, product(b, c)); };
  for (const LayerHparams& layer : hp.layers) {
    most(w.q, layer.n_head, layer.head_dim_k);
    most(w.k, layer.n_head_kv, layer.head_dim_k);
    most(w.v, layer.n_head_kv, layer.head_dim_v);
    most(w.attended, layer.n_head, layer.head_dim_v);
    most(w.hidden, layer.n_ff, 1);
    if (layer.has_experts) most(w.hidden, hp.experts.n_expert_used, hp.experts.n_ff);
    most(w.ranges, layer.head_dim_v + 2, 1);
  }
  return w;
}

void take_experts(Pieces& pieces, GpuExpertBuffers& b, const Hparams& hp, int n_batch) {
  const ExpertHparams& e = hp.experts;
  if (e.n_expert == 0) return;
  const int n_choices = n_batch * e.n_expert_used;
  const auto n = static_cast<std::size_t>(n_choices);
  for (std::uint64_t* of_choices : {&b.ids, &b.weights, &b.places, &b.sources})
    pieces.words(*of_choices, n);
  pieces.words(b.logits, product(n_batch, e.n_expert));
  pieces.words(b.shared_logits, static_cast<std::size_t>(n_batch));
  pieces.words(b.tiles, product(3, most_tiles(n_choices, e.n_expert)));
  pieces.words(b.grids, 6);
  pieces.words(b.given, product(n_choices, hp.n_embd));
  pieces.activations(b.gathered, product(n_choices, hp.n_embd));
  pieces.hidden(b.shared_hidden, product(n_batch, e.n_ff_shared));
  pieces.words(b.shared_given, product(n_batch, hp.n_embd));
}

void take_all(Pieces& pieces, GpuBuffers& b, const Hparams& hp, const GpuBuffers::Sizes& sizes) {
  const Widths w = widths_of(hp);
  const auto n = static_cast<std::size_t>(sizes.n_batch);
  const int n_head = most_heads(hp).all;
  const std::size_t n_ranges =
      std::max<std::size_t>(GpuBuffers::kMostRanges, product(sizes.n_batch, n_head));
  pieces.words(b.x, product(sizes.n_batch, hp.n_embd));
  pieces.words(b.waiting, product(sizes.n_batch, hp.n_embd));
  pieces.activations(b.normed, product(sizes.n_batch, hp.n_embd));
  pieces.words(b.squares, product(sizes.n_batch, hp.n_embd / 32 + 1));
  pieces.words(b.q, n * w.q);
  pieces.words(b.k, n * w.k);
  pieces.words(b.v, n * w.v);
  pieces.words(b.range_sums, n_ranges * w.ranges);
  pieces.words(b.range_weights, n_ranges * 2);
  pieces.words(b.ranges_done, product(sizes.n_batch, n_head));
  pieces.activations(b.attended, n * w.attended);
  pieces.hidden(b.hidden, n * w.hidden);
  take_experts(pieces, b.experts, hp, sizes.n_batch);
  pieces.activations(b.output, product(sizes.n_logits, hp.n_embd));
  pieces.words(b.logits, product(sizes.n_logits, hp.n_vocab));
  const std::size_t n_top = product(sizes.n_logits, GpuBuffers::kMostTop);
  pieces.words(b.top_of_parts, 2 * n_top * GpuBuffers::kMostTopParts);
  pieces.words(b.top, 2 * n_top);
}

}  // namespace

MostHeads most_heads(const Hparams& hp) {
  MostHeads most;
  for (const LayerHparams& layer : hp.layers) {
    most.all = std::max(most.all, layer.n_head);
    most.of_keys = std::max(most.of_keys, layer.n_head_kv);
  }
  return most;
}

GpuBuffers::GpuBuffers(kernels::vulkan::Gpu& gpu, const Hparams& hp, const Sizes& sizes) {
  Pieces of_device;
  take_all(of_device, *this, hp, sizes);
  device = gpu.allocate(of_device.size(), Memory::device);
  of_device.place(device.address());
  logits_offset = logits - device.address();
  output_offset = output.floats - device.address();
  kernels::vulkan::Commands zeros(gpu);
  zeros.fill_with_zeros(device, ranges_done - device.address(),
                        product(sizes.n_batch, most_heads(hp).all) * sizeof(std::uint32_t));
  zeros.end();
  gpu.run(zeros);

  Pieces of_both;
  of_both.take(rows_at, static_cast<std::size_t>(sizes.n_batch) * sizeof(GpuRow));
  of_both.words(picked_at, static_cast<std::size_t>(sizes.n_logits));
  // In the worst case each row belongs to a different sequence.
  n_tables = product(count_blocks(sizes.n_ctx), sizes.n_batch);
  of_both.take(tables_at, n_tables * sizeof(*tables));
  angles_at.resize(hp.ropes.size());
  for (std::size_t i = 0; i < hp.ropes.size(); ++i)
    of_both.words(angles_at[i], product(sizes.n_batch, hp.ropes[i].n_rot));
  if (sizes.is_given_rows) of_both.words(given_at, product(sizes.n_batch, hp.n_embd));
  shared = gpu.allocate(of_both.size(), Memory::shared);
  of_both.place(shared.address());
  const auto mapped = [this](std::uint64_t at) { return shared.data() + (at - shared.address()); };
  rows = reinterpret_cast<GpuRow*>(mapped(rows_at));
  picked = reinterpret_cast<std::uint32_t*>(mapped(picked_at));
  tables = reinterpret_cast<std::uint64_t*>(mapped(tables_at));
  if (sizes.is_given_rows) given = reinterpret_cast<float*>(mapped(given_at));
  for (const std::uint64_t at : angles_at) angles.push_back(reinterpret_cast<float*>(mapped(at)));
  result = gpu.allocate(product(sizes.n_logits, hp.n_vocab + hp.n_embd) * sizeof(float),
                        Memory::readback);
}

std::uint64_t GpuBuffers::device_bytes(const Hparams& hp, const Sizes& sizes) {
  GpuBuffers nowhere;
  Pieces pieces;
  take_all(pieces, nowhere, hp, sizes);
  return pieces.size();
}

}  // namespace confab::engine
