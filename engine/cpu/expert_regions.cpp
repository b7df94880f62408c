// SPDX-License-Identifier: MIT
// The regions of a feed-forward that is a mixture of experts: the router, the hidden rows of the
// experts that were chosen, and the sum of what they give.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/cpu/forward_state.h"

namespace confab::engine {
namespace {

using kernels::ActFormat;
using kernels::Activations;

// What an item of the router's region takes.
constexpr int kRouterRows = 16;
constexpr int kRouterTokens = 32;

std::size_t row_bytes(ActFormat format, int n_cols, int n_rows) noexcept {
  return kernels::act_row_bytes(format, n_cols) * static_cast<std::size_t>(n_rows);
}

const Matrix& of_expert(const std::vector<Matrix>& matrices, const ExpertGroup& group) noexcept {
  return matrices[static_cast<std::size_t>(group.expert)];
}

}  // namespace

// In memory, the hidden rows of the experts [n * n_expert_used, n_ff], in the order of
// buffers.expert_rows(), are followed by those of the shared experts [n, n_ff_shared]; so are they
// when packed.
void Forward::State::experts(const LayerWeights& layer, int il) noexcept {
  const ExpertWeights& w = layer.experts;
  const ActFormats of_experts =
      formats_of({&w.gate.front(), &w.up.front(), &w.shared_gate, &w.shared_up}, options.exact);
  const ActFormats of_router = formats_of({&w.router, &w.shared_router}, options.exact);
  if (hp.experts.beside_plain) {
    plain_beside(layer, il);
    pack_normed(w.router_norm, of_router);
    route(w);
    pack_normed(w.norm, of_experts);
  } else {
    ActFormats of_both = of_experts;
    of_both |= of_router;
    pack_normed(layer.ffn_norm, of_both);
    route(w);
  }
  const int n_groups = group_by_expert(hp.experts, buffers.chosen(), n, buffers.expert_rows(),
                                       buffers.expert_groups());
  const std::span<const ExpertGroup> groups(buffers.expert_groups(),
                                            static_cast<std::size_t>(n_groups));
  hidden_of_experts(w, groups);
  pack_hidden_of_experts(w);
  add_experts(w, groups);
  if (hp.experts.beside_plain) add_plain_beside(w);
  y_pending = hp.post_norms;
  y_norm = layer.ffn_post_norm;
}

// Regions: the router's logits, and how far the shared experts are turned up; the choice.
void Forward::State::route(const ExpertWeights& w) noexcept {
  const std::int64_t n_expert = hp.experts.n_expert, stride = n_expert + 1;
  const int n_tiles = n_pieces(n, kRouterTokens), n_slices = n_pieces(n_expert, kRouterRows);
  const bool shared = w.shared_router.n_rows > 0;
  pool.parallel_for((n_slices + (shared ? 1 : 0)) * n_tiles, [&](int item, int) {
    const int slice = item / n_tiles, t = item % n_tiles * kRouterTokens;
    const Matrix& m = slice < n_slices ? w.router : w.shared_router;
    const RowRange rows =
        slice < n_slices ? piece_of(slice, kRouterRows, n_expert) : RowRange{0, 1};
    const std::int64_t column = slice < n_slices ? rows.row0 : n_expert;
    project(m, rows, packed_rows(m, t, std::min(kRouterTokens, n - t)),
            buffers.router_logits() + t * stride + column, stride);
  });
  for_each_token([&](int t, int) {
    float* logits = buffers.router_logits() + t * stride;
    logits[n_expert] = shared ? 1 / (1 + std::exp(-logits[n_expert])) : 1.0F;
    choose_experts(hp.experts, kernel, logits, w.selection_bias,
                   buffers.chosen() + std::int64_t{t} * hp.experts.n_expert_used);
  });
}

// Region: hidden = activation(gate x) * up x, an item being some rows of one expert, with all of
// its tokens.
void Forward::State::hidden_of_experts(const ExpertWeights& w,
                                       std::span<const ExpertGroup> groups) noexcept {
  const std::int64_t n_ff = hp.experts.n_ff, n_shared_ff = hp.experts.n_ff_shared;
  const auto n_groups = static_cast<int>(groups.size());
  const std::int64_t slice = slice_rows(n_groups * n_ff + n_shared_ff);
  const int n_slices = n_pieces(n_ff, slice), n_shared = n_pieces(n_shared_ff, slice);
  pool.parallel_for(n_shared + n_groups * n_slices, [&](int item, int worker) {
    if (item < n_shared) return hidden_of_shared(w, piece_of(item, slice, n_shared_ff), worker);
    const int i = item - n_shared;
    hidden_of_group(w, groups[static_cast<std::size_t>(i / n_slices)],
                    piece_of(i % n_slices, slice, n_ff), worker);
  });
}

void Forward::State::hidden_of_group(const ExpertWeights& w, const ExpertGroup& group,
                                     RowRange rows, int worker) noexcept {
  const Matrix& gate = of_expert(w.gate, group);
  const Matrix& up = of_expert(w.up, group);
  const std::int64_t n_ff = hp.experts.n_ff;
  float* up_rows = buffers.worker(worker);
  auto* gathered = reinterpret_cast<std::byte*>(up_rows + kGatherTokens * kMaxSliceRows);
  for (int i = group.begin; i < group.end; i += kGatherTokens) {
    const std::span<const ExpertRow> tokens(buffers.expert_rows() + i,
                                            std::min(kGatherTokens, group.end - i));
    float* hidden = buffers.hidden() + i * n_ff + rows.row0;
    project(gate, rows, gather(gate, tokens, gathered), hidden, n_ff);
    project(up, rows, gather(up, tokens, gathered), up_rows, rows.n_rows);
    for (std::size_t t = 0; t < tokens.size(); ++t, hidden += n_ff) {
      activate(hidden, up_rows + static_cast<std::int64_t>(t) * rows.n_rows, rows.n_rows);
    }
  }
}

void Forward::State::hidden_of_shared(const ExpertWeights& w, RowRange rows, int worker) noexcept {
  const std::int64_t n_ff = hp.experts.n_ff_shared;
  float* hidden = shared_hidden() + rows.row0;
  float* up = buffers.worker(worker);
  project(w.shared_gate, rows, packed_rows(w.shared_gate, 0, n), hidden, n_ff);
  project(w.shared_up, rows, packed_rows(w.shared_up, 0, n), up, rows.n_rows);
  for (int t = 0; t < n; ++t) activate(hidden + t * n_ff, up + t * rows.n_rows, rows.n_rows);
}

// The packed activations of these tokens, copied to one place unless there is but one.
Activations Forward::State::gather(const Matrix& m, std::span<const ExpertRow> tokens,
                                   std::byte* to) const noexcept {
  Activations x = packed_rows(m, tokens[0].token, static_cast<int>(tokens.size()));
  if (tokens.size() == 1) return x;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::memcpy(to + i * x.row_bytes, packed_rows(m, tokens[i].token, 1).data, x.row_bytes);
  }
  x.data = to;
  return x;
}

float* Forward::State::shared_hidden() const noexcept {
  return buffers.hidden() + std::int64_t{n} * hp.experts.n_expert_used * hp.experts.n_ff;
}

// Where the packed row of the shared experts' hidden layer begins, for token t.
std::byte* Forward::State::shared_packed(const ExpertWeights& w, int t) const noexcept {
  const ActFormat format = kernels::act_format(w.shared_down.rows.dtype, options.exact);
  const bool same = format == kernels::act_format(w.down.front().rows.dtype, options.exact);
  std::byte* first = buffers.packed(format);
  if (same) first += row_bytes(format, hp.experts.n_ff, n * hp.experts.n_expert_used);
  return first + row_bytes(format, hp.experts.n_ff_shared, t);
}

void Forward::State::pack_hidden_of_experts(const ExpertWeights& w) noexcept {
  const int n_used = hp.experts.n_expert_used;
  const std::int64_t n_ff = hp.experts.n_ff, n_shared_ff = hp.experts.n_ff_shared;
  const ActFormats formats = formats_of({&w.down.front()}, options.exact);
  for_each_token([&](int t, int) {
    for (int i = t * n_used; i < (t + 1) * n_used; ++i) {
      pack(buffers.hidden() + i * n_ff, static_cast<int>(n_ff), i, formats);
    }
    if (n_shared_ff == 0) return;
    kernel.pack_row(kernels::act_format(w.shared_down.rows.dtype, options.exact),
                    shared_hidden() + t * n_shared_ff, n_shared_ff, shared_packed(w, t));
  });
}

// Region: x += residual_scale * (sum of weight * (down hidden + bias)), or y = the sum where that
// is normed. An item is some rows of all experts' outputs, so that every sum has one order.
void Forward::State::add_experts(const ExpertWeights& w,
                                 std::span<const ExpertGroup> groups) noexcept {
  float* sums = hp.post_norms ? buffers.y() : buffers.x();
  const float scale = hp.post_norms ? 1 : hp.residual_scale;
  for_each_slice(hp.n_embd, [&](std::int64_t row0, std::int64_t n_rows, int worker) {
    float* y = buffers.worker(worker);
    const auto add = [&](int i, int t, float weight) {
      kernel.add_scaled(y + i * n_rows, n_rows, scale * weight,
                        sums + std::int64_t{t} * hp.n_embd + row0);
    };
    if (hp.post_norms) {
      for (int t = 0; t < n; ++t)
        std::fill_n(sums + std::int64_t{t} * hp.n_embd + row0, n_rows, 0.0F);
    }
    for (const ExpertGroup& group : groups) {
      const Matrix& down = of_expert(w.down, group);
      project(down, {row0, n_rows}, packed_rows(down, group.begin, group.end - group.begin), y,
              n_rows);
      for (int i = group.begin; i < group.end; ++i) {
        const ExpertRow& row = buffers.expert_rows()[i];
        add(i - group.begin, row.token, row.weight);
      }
    }
    if (hp.experts.n_ff_shared == 0) return;
    Activations x = packed_rows(w.shared_down, 0, n);
    x.data = shared_packed(w, 0);
    project(w.shared_down, {row0, n_rows}, x, y, n_rows);
    for (int t = 0; t < n; ++t) {
      add(t, t, buffers.router_logits()[t * (hp.experts.n_expert + 1) + hp.experts.n_expert]);
    }
  });
}

}  // namespace confab::engine
