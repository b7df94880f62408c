// SPDX-License-Identifier: MIT
// The feed-forward regions of a layer. Dense: norm, gate, up and activation; down and residual. A
// mixture of experts: the router, the hidden rows of the chosen experts, and the weighted sum of
// their outputs. Gemma 4 runs a dense feed-forward beside the experts.
#include "engine/cpu/feed_forward_regions.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "engine/cpu/forward_state.h"

namespace confab::engine {
namespace {

void relu2_mul(const float* gate, const float* up, std::int64_t n, float* y) noexcept {
  for (std::int64_t i = 0; i < n; ++i) {
    const float above = std::max(gate[i], 0.0F);
    y[i] = above * above * up[i];
  }
}

// Region: packed rows = activation(gate norm(x)) * up norm(x), or activation(up norm(x)).
void hidden_layer(ForwardState& s, const LayerPlan& layer) noexcept {
  const LayerWeights& w = layer.weights;
  const std::int64_t n_ff = layer.shape.n_ff;
  assert(w.ffn_up.n_rows == n_ff && w.ffn_up.rows.n_cols == s.hp.n_embd);
  assert(!s.hp.has_ffn_gate || w.ffn_gate.n_rows == n_ff);
  s.pack_normed(layer.feed_forward_input, formats_of({&w.ffn_gate, &w.ffn_up}, s.options.exact));
  s.for_each_slice(n_ff, [&](std::int64_t row0, std::int64_t n_rows, int worker) {
    float* hidden = s.buffers.hidden() + row0;
    float* factors = s.buffers.worker(worker);
    s.project(s.hp.has_ffn_gate ? w.ffn_gate : w.ffn_up, row0, n_rows, hidden, n_ff);
    if (s.hp.has_ffn_gate) {
      s.project(w.ffn_up, row0, n_rows, factors, n_rows);
    } else {
      std::fill_n(factors, n_rows, 1.0F);
    }
    const std::int64_t stride = s.hp.has_ffn_gate ? n_rows : 0;
    for (int t = 0; t < s.n; ++t) {
      activate(s.kernel, s.hp.activation, hidden + t * n_ff, factors + t * stride, n_rows);
    }
  });
  s.pack_rows(s.buffers.hidden(), static_cast<int>(n_ff), w.ffn_down);
}

using kernels::ActFormat;
using kernels::Activations;

// Rows and tokens of one item of the router's region.
constexpr int kRouterRows = 16;
constexpr int kRouterTokens = 32;

std::size_t row_bytes(ActFormat format, int n_cols, int n_rows) noexcept {
  return kernels::act_row_bytes(format, n_cols) * static_cast<std::size_t>(n_rows);
}

const Matrix& of_expert(const std::vector<Matrix>& matrices, const ExpertGroup& group) noexcept {
  return matrices[static_cast<std::size_t>(group.expert)];
}

// Regions: the router's logits and the gate of the shared experts; the choice.
void route(ForwardState& s, const ExpertWeights& w) noexcept {
  const std::int64_t n_expert = s.hp.experts.n_expert, stride = n_expert + 1;
  const int n_tiles = count_slices(s.n, kRouterTokens),
            n_slices = count_slices(n_expert, kRouterRows);
  const bool shared = w.shared_router.n_rows > 0;
  s.pool.parallel_for((n_slices + (shared ? 1 : 0)) * n_tiles, [&](int item, int) {
    const int slice = item / n_tiles, t = item % n_tiles * kRouterTokens;
    const Matrix& m = slice < n_slices ? w.router : w.shared_router;
    const RowSlice rows =
        slice < n_slices ? slice_of(slice, kRouterRows, n_expert) : RowSlice{0, 1};
    const std::int64_t column = slice < n_slices ? rows.row0 : n_expert;
    s.project(m, rows, s.packed_rows(m, t, std::min(kRouterTokens, s.n - t)),
              s.buffers.router().logits + t * stride + column, stride);
  });
  s.for_each_token([&](int t, int) {
    float* logits = s.buffers.router().logits + t * stride;
    logits[n_expert] = shared ? 1 / (1 + std::exp(-logits[n_expert])) : 1.0F;
    choose_experts(s.hp.experts, s.kernel, logits, w.selection_bias,
                   s.buffers.router().chosen + std::int64_t{t} * s.hp.experts.n_expert_used);
  });
}

// The packed activations of these tokens. Copies them next to each other unless there is only one.
Activations gather(const ForwardState& s, const Matrix& m, std::span<const ExpertRow> tokens,
                   std::byte* to) noexcept {
  Activations x = s.packed_rows(m, tokens[0].token, static_cast<int>(tokens.size()));
  if (tokens.size() == 1) return x;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::memcpy(to + i * x.row_bytes, s.packed_rows(m, tokens[i].token, 1).data, x.row_bytes);
  }
  x.data = to;
  return x;
}

float* shared_hidden(const ForwardState& s) noexcept {
  return s.buffers.hidden() + std::int64_t{s.n} * s.hp.experts.n_expert_used * s.hp.experts.n_ff;
}

// Where the packed row of the shared experts' hidden layer starts for token t.
std::byte* shared_packed(const ForwardState& s, const ExpertWeights& w, int t) noexcept {
  const ActFormat format = kernels::act_format(w.shared_down.rows.dtype, s.options.exact);
  const bool same = format == kernels::act_format(w.down.front().rows.dtype, s.options.exact);
  std::byte* first = s.buffers.packed(format);
  if (same) first += row_bytes(format, s.hp.experts.n_ff, s.n * s.hp.experts.n_expert_used);
  return first + row_bytes(format, s.hp.experts.n_ff_shared, t);
}

void hidden_of_group(ForwardState& s, const ExpertWeights& w, const ExpertGroup& group,
                     RowSlice rows, int worker) noexcept {
  const Matrix& gate = of_expert(w.gate, group);
  const Matrix& up = of_expert(w.up, group);
  const std::int64_t n_ff = s.hp.experts.n_ff;
  float* up_rows = s.buffers.worker(worker);
  auto* gathered = reinterpret_cast<std::byte*>(up_rows + kGatherTokens * kMaxSliceRows);
  for (int i = group.begin; i < group.end; i += kGatherTokens) {
    const std::span<const ExpertRow> tokens(s.buffers.router().rows + i,
                                            std::min(kGatherTokens, group.end - i));
    float* hidden = s.buffers.hidden() + i * n_ff + rows.row0;
    s.project(gate, rows, gather(s, gate, tokens, gathered), hidden, n_ff);
    s.project(up, rows, gather(s, up, tokens, gathered), up_rows, rows.n_rows);
    for (std::size_t t = 0; t < tokens.size(); ++t, hidden += n_ff) {
      activate(s.kernel, s.hp.activation, hidden,
               up_rows + static_cast<std::int64_t>(t) * rows.n_rows, rows.n_rows);
    }
  }
}

void hidden_of_shared(ForwardState& s, const ExpertWeights& w, RowSlice rows, int worker) noexcept {
  const std::int64_t n_ff = s.hp.experts.n_ff_shared;
  float* hidden = shared_hidden(s) + rows.row0;
  float* up = s.buffers.worker(worker);
  s.project(w.shared_gate, rows, s.packed_rows(w.shared_gate, 0, s.n), hidden, n_ff);
  s.project(w.shared_up, rows, s.packed_rows(w.shared_up, 0, s.n), up, rows.n_rows);
  for (int t = 0; t < s.n; ++t)
    activate(s.kernel, s.hp.activation, hidden + t * n_ff, up + t * rows.n_rows, rows.n_rows);
}

// Region: hidden = activation(gate x) * up x. An item is some rows of one expert, for all of its
// tokens.
void hidden_of_experts(ForwardState& s, const ExpertWeights& w,
                       std::span<const ExpertGroup> groups) noexcept {
  const std::int64_t n_ff = s.hp.experts.n_ff, n_shared_ff = s.hp.experts.n_ff_shared;
  const auto n_groups = static_cast<int>(groups.size());
  const std::int64_t slice = s.slice_rows(n_groups * n_ff + n_shared_ff);
  const int n_slices = count_slices(n_ff, slice), n_shared = count_slices(n_shared_ff, slice);
  s.pool.parallel_for(n_shared + n_groups * n_slices, [&](int item, int worker) {
    if (item < n_shared) return hidden_of_shared(s, w, slice_of(item, slice, n_shared_ff), worker);
    const int i = item - n_shared;
    hidden_of_group(s, w, groups[static_cast<std::size_t>(i / n_slices)],
                    slice_of(i % n_slices, slice, n_ff), worker);
  });
}

void pack_hidden_of_experts(ForwardState& s, const ExpertWeights& w) noexcept {
  const int n_used = s.hp.experts.n_expert_used;
  const std::int64_t n_ff = s.hp.experts.n_ff, n_shared_ff = s.hp.experts.n_ff_shared;
  const ActFormats formats = formats_of({&w.down.front()}, s.options.exact);
  s.for_each_token([&](int t, int) {
    for (int i = t * n_used; i < (t + 1) * n_used; ++i) {
      s.pack(s.buffers.hidden() + i * n_ff, static_cast<int>(n_ff), i, formats);
    }
    if (n_shared_ff == 0) return;
    s.kernel.pack_row(kernels::act_format(w.shared_down.rows.dtype, s.options.exact),
                      shared_hidden(s) + t * n_shared_ff, n_shared_ff, shared_packed(s, w, t));
  });
}

// Region: x += residual_scale * (sum of weight * (down hidden + bias)). If `when` is not at_once, y
// = the sum instead. An item is some rows of the outputs of all experts, so that each sum has a
// fixed order.
void add_experts(ForwardState& s, const ExpertWeights& w, Residual::When when,
                 std::span<const ExpertGroup> groups) noexcept {
  const bool waits = when != Residual::When::at_once;
  float* sums = waits ? s.buffers.y() : s.buffers.x();
  const float scale = waits ? 1 : s.hp.residual_scale;
  s.for_each_slice(s.hp.n_embd, [&](std::int64_t row0, std::int64_t n_rows, int worker) {
    float* y = s.buffers.worker(worker);
    const auto add = [&](int i, int t, float weight) {
      s.kernel.add_scaled(y + i * n_rows, n_rows, scale * weight,
                          sums + std::int64_t{t} * s.hp.n_embd + row0);
    };
    if (waits) {
      for (int t = 0; t < s.n; ++t)
        std::fill_n(sums + std::int64_t{t} * s.hp.n_embd + row0, n_rows, 0.0F);
    }
    for (const ExpertGroup& group : groups) {
      const Matrix& down = of_expert(w.down, group);
      s.project(down, {row0, n_rows}, s.packed_rows(down, group.begin, group.end - group.begin), y,
                n_rows);
      for (int i = group.begin; i < group.end; ++i) {
        const ExpertRow& row = s.buffers.router().rows[i];
        add(i - group.begin, row.token, row.weight);
      }
    }
    if (s.hp.experts.n_ff_shared == 0) return;
    Activations x = s.packed_rows(w.shared_down, 0, s.n);
    x.data = shared_packed(s, w, 0);
    s.project(w.shared_down, {row0, n_rows}, x, y, n_rows);
    for (int t = 0; t < s.n; ++t) {
      add(t, t, s.buffers.router().logits[t * (s.hp.experts.n_expert + 1) + s.hp.experts.n_expert]);
    }
  });
}

// Regions: buffers.beside() = the output of the dense feed-forward.
void plain_beside(ForwardState& s, const LayerPlan& layer) noexcept {
  hidden_layer(s, layer);
  s.for_each_slice(s.hp.n_embd, [&](std::int64_t row0, std::int64_t n_rows, int) {
    s.project(layer.weights.ffn_down, row0, n_rows, s.buffers.beside() + row0, s.hp.n_embd);
  });
}

// Region: buffers.y() = norm(beside) + norm(y).
void add_plain_beside(ForwardState& s, const ExpertWeights& w) noexcept {
  s.for_each_token([&](int t, int) {
    float* y = s.buffers.y() + std::int64_t{t} * s.hp.n_embd;
    float* beside = s.buffers.beside() + std::int64_t{t} * s.hp.n_embd;
    s.norm_row(y, w.post_norm, y);
    s.norm_row(beside, w.plain_post_norm, beside);
    s.kernel.add(beside, s.hp.n_embd, y);
  });
}

// Regions of a mixture of experts. The hidden rows of the chosen experts, [n * n_expert_used, n_ff]
// in the order of buffers.router().rows, are followed in memory by those of the shared experts, [n,
// n_ff_shared]. The packed rows are laid out the same way.
void experts(ForwardState& s, const LayerPlan& layer) noexcept {
  const ExpertWeights& w = layer.weights.experts;
  const bool beside_dense = layer.feed_forward == FeedForward::experts_beside_dense;
  assert(w.router.n_rows == s.hp.experts.n_expert && w.router.rows.n_cols == s.hp.n_embd);
  assert(w.up.front().n_rows == s.hp.experts.n_ff && w.down.front().n_rows == s.hp.n_embd);
  const ActFormats of_experts =
      formats_of({&w.gate.front(), &w.up.front(), &w.shared_gate, &w.shared_up}, s.options.exact);
  const ActFormats of_router = formats_of({&w.router, &w.shared_router}, s.options.exact);
  if (beside_dense) {
    plain_beside(s, layer);
    s.pack_normed({.norm = w.router_norm}, of_router);
    route(s, w);
    s.pack_normed({.norm = w.norm}, of_experts);
  } else {
    ActFormats of_both = of_experts;
    of_both |= of_router;
    s.pack_normed(layer.feed_forward_input, of_both);
    route(s, w);
  }
  const int n_groups = group_by_expert(s.hp.experts, s.buffers.router().chosen, s.n,
                                       s.buffers.router().rows, s.buffers.router().groups);
  const std::span<const ExpertGroup> groups(s.buffers.router().groups,
                                            static_cast<std::size_t>(n_groups));
  hidden_of_experts(s, w, groups);
  pack_hidden_of_experts(s, w);
  add_experts(s, w, layer.feed_forward_residual.when, groups);
  if (beside_dense) add_plain_beside(s, w);
}

}  // namespace

void activate(const kernels::KernelTable& kernel, Activation activation, float* gate,
              const float* up, std::int64_t n_values) noexcept {
  switch (activation) {
    case Activation::silu:
      return kernel.silu_mul(gate, up, n_values, gate);
    case Activation::gelu:
      return kernel.gelu_mul(gate, up, n_values, gate);
    case Activation::relu2:
      return relu2_mul(gate, up, n_values, gate);
    case Activation::swiglu_oai:
      return kernel.swiglu_oai(gate, up, n_values, gate);
  }
}

void feed_forward(ForwardState& s, const LayerPlan& layer) noexcept {
  if (layer.feed_forward != FeedForward::dense) return experts(s, layer);
  hidden_layer(s, layer);
  s.add_projection(layer.weights.ffn_down, layer.feed_forward_residual.when);
}

}  // namespace confab::engine
