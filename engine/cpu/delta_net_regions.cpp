// SPDX-License-Identifier: MIT
// A layer that uses a gated delta rule instead of attention (Yang et al., arXiv:2412.06464; used by
// Qwen3-Next and Qwen3.5): projections, a short convolution over time, and for each value head a
// matrix that is corrected towards v at k and read at q.
#include "engine/cpu/delta_net_regions.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "engine/cpu/forward_state.h"

namespace confab::engine {
namespace {

float sigmoid(float x) noexcept {
  return 1 / (1 + std::exp(-x));
}

float softplus(float x) noexcept {
  return x > 20 ? x : std::log1p(std::exp(x));
}

// x / max(|x|, eps).
void l2_norm(const float* x, int n, float eps, float* y) noexcept {
  double squares = 0;
  for (int i = 0; i < n; ++i) squares += double{x[i]} * double{x[i]};
  const float scale = 1 / std::max(static_cast<float>(std::sqrt(squares)), eps);
  for (int i = 0; i < n; ++i) y[i] = x[i] * scale;
}

// Some rows of a matrix, and where their products with the first token go.
struct Product {
  const Matrix& matrix;
  std::int64_t row0;
  std::int64_t n_rows;
  float* y;
  std::int64_t y_stride;
};

int n_slices(const Product& product) noexcept {
  return count_slices(product.n_rows, kMaxSliceRows);
}

// The rows of one key head, in models where one matrix holds q, k, v and z.
std::array<Product, 4> products_of_head(const ForwardState& s, const DeltaNetWeights& w,
                                        std::int64_t head) noexcept {
  const DeltaNetHparams& net = s.hp.delta_net;
  const std::int64_t n_key = net.d_state, n_keys = net.n_k_heads * n_key;
  const std::int64_t n_inner = std::int64_t{net.n_v_heads} * net.d_state;
  const std::int64_t n_value = n_inner / net.n_k_heads, n_channels = net.n_channels();
  const std::int64_t row0 = head * 2 * (n_key + n_value);
  float *const mixed = s.buffers.mixed(), *const z = s.buffers.gate();
  return {
      Product{w.qkv, row0, n_key, mixed + head * n_key, n_channels},
      Product{w.qkv, row0 + n_key, n_key, mixed + n_keys + head * n_key, n_channels},
      Product{w.qkv, row0 + 2 * n_key, n_value, mixed + 2 * n_keys + head * n_value, n_channels},
      Product{w.qkv, row0 + 2 * n_key + n_value, n_value, z + head * n_value, n_inner}};
}

// The products that are not cut by head. An empty matrix contributes no rows.
std::array<Product, 4> whole_products(const ForwardState& s, const DeltaNetWeights& w) noexcept {
  const std::int64_t n_gates = 2 * std::int64_t{s.hp.delta_net.n_v_heads};
  const std::int64_t n_qkv = w.z.n_rows > 0 ? w.qkv.n_rows : 0;
  float* const gates = s.buffers.beta_alpha();
  return {Product{w.qkv, 0, n_qkv, s.buffers.mixed(), n_qkv},
          Product{w.z, 0, w.z.n_rows, s.buffers.gate(), w.z.n_rows},
          Product{w.beta, 0, w.beta.n_rows, gates, n_gates},
          Product{w.alpha, 0, w.alpha.n_rows, gates + w.beta.n_rows, n_gates}};
}

int count_items(const std::array<Product, 4>& products) noexcept {
  int n = 0;
  for (const Product& product : products) n += n_slices(product);
  return n;
}

// Computes slice `item`, counted over all four products.
void project_slice(ForwardState& s, const std::array<Product, 4>& products, int item) noexcept {
  const Product* product = products.data();
  while (item >= n_slices(*product)) item -= n_slices(*product++);
  const RowSlice slice = slice_of(item, kMaxSliceRows, product->n_rows);
  s.project(product->matrix, product->row0 + slice.row0, slice.n_rows, product->y + slice.row0,
            product->y_stride);
}

// Region: mixed = qkv x, z = z x, beta_alpha = [beta; alpha] x, for the packed rows x.
void project_delta_net(ForwardState& s, const DeltaNetWeights& w) noexcept {
  const std::array<Product, 4> products = whole_products(s, w);
  const int n_whole = count_items(products);
  const int n_heads = w.z.n_rows > 0 ? 0 : s.hp.delta_net.n_k_heads;
  const int n_of_head = n_heads > 0 ? count_items(products_of_head(s, w, 0)) : 1;
  s.pool.parallel_for(n_whole + n_heads * n_of_head, [&](int item, int) {
    if (item < n_whole) return project_slice(s, products, item);
    const int head = (item - n_whole) / n_of_head;
    project_slice(s, products_of_head(s, w, head), (item - n_whole) % n_of_head);
  });
}

// Tokens of one sequence that are about to enter a layer's recurrent state.
struct StateRows {
  RecurrentState& state;
  int il;
  int n;
  float* mixed;        // [n, n_channels]; becomes silu(convolution over time of mixed)
  const float* gates;  // [n, 2 * n_v_heads]
  const float* z;      // [n, n_v_heads, d_state]
  float* out;          // [n, n_v_heads, d_state]; nullptr if only the state is wanted
  bool in_flight;      // leave the state unchanged, and keep the state after these tokens apart
};
using RowsOf = StateRows (*)(const ForwardState& s, const RunPart& part, int il) noexcept;

// The tokens that the previous run left in flight and that have not been forgotten since.
StateRows rows_in_flight(const ForwardState&, const RunPart& part, int il) noexcept {
  RecurrentState& state = part.cache->recurrent();
  return {.state = state,
          .il = il,
          .n = state.n_in_flight(),
          .mixed = state.inputs_in_flight(il),
          .gates = state.gates_in_flight(il),
          .z = nullptr,
          .out = nullptr,
          .in_flight = false};
}

StateRows rows_of_run(const ForwardState& s, const RunPart& part, int il) noexcept {
  const DeltaNetHparams& net = s.hp.delta_net;
  const std::int64_t heads_at = std::int64_t{part.first} * net.n_v_heads;
  return {.state = part.cache->recurrent(),
          .il = il,
          .n = part.n,
          .mixed = s.buffers.mixed() + std::int64_t{part.first} * net.n_channels(),
          .gates = s.buffers.beta_alpha() + 2 * heads_at,
          .z = s.buffers.gate() + heads_at * net.d_state,
          .out = s.buffers.att() + heads_at * net.d_state,
          .in_flight = part.in_flight};
}

// mixed = silu(convolution over time of mixed) for a slice of the channels. Channels are
// independent.
void convolve(const DeltaNetHparams& net, const DeltaNetWeights& w, RowSlice slice,
              const StateRows& rows) noexcept {
  const int n_before = net.d_conv - 1;
  const std::int64_t n_channels = net.n_channels(), count = slice.n_rows;
  float before[kMaxConv - 1][kMaxSliceRows];  // inputs of the preceding tokens, oldest first
  float* state = rows.state.conv(rows.il) + slice.row0;  // [n_before, n_channels]
  for (int j = 0; j < n_before; ++j) std::copy_n(state + j * n_channels, count, before[j]);
  for (int t = 0; t < rows.n; ++t) {
    const std::int64_t at = t * n_channels + slice.row0;
    float* x = rows.mixed + at;
    if (rows.in_flight) std::copy_n(x, count, rows.state.inputs_in_flight(rows.il) + at);
    for (std::int64_t c = 0; c < count; ++c) {
      const float* taps = w.conv + (slice.row0 + c) * (n_before + 1);
      float sum = x[c] * taps[n_before];
      for (int j = 0; j < n_before; ++j) sum += before[j][c] * taps[j];
      for (int j = 0; j + 1 < n_before; ++j) before[j][c] = before[j + 1][c];
      before[n_before - 1][c] = x[c];
      x[c] = sum * sigmoid(sum);
    }
  }
  if (rows.in_flight) state = rows.state.conv_after(rows.il) + slice.row0;
  for (int j = 0; j < n_before; ++j) std::copy_n(before[j], count, state + j * n_channels);
}

// out = norm(the head's matrix read at q) * silu(z), token after token.
void delta_head(const ForwardState& s, const DeltaNetWeights& w, int head, const StateRows& rows,
                float* scratch) noexcept {
  const DeltaNetHparams& net = s.hp.delta_net;
  const int dim = net.d_state, n_keys = net.n_k_heads * dim;
  const int group = net.n_v_heads / net.n_k_heads;
  const int head_k = net.tiled ? head % net.n_k_heads : head / group;
  // In memory, `gates` betas are followed by as many alphas.
  const int gates = w.alpha.n_rows > 0 ? net.n_v_heads : group;
  const std::int64_t beta_at = std::int64_t{head} / gates * 2 * gates + head % gates;
  const std::int64_t n_inner = std::int64_t{net.n_v_heads} * dim;
  const float scale = 1 / std::sqrt(static_cast<float>(dim));
  float *q = scratch, *k = q + dim, *unwanted = k + dim;
  float* state = rows.state.delta(rows.il, head);
  if (rows.in_flight) {
    const float* before = std::exchange(state, rows.state.delta_after(rows.il, head));
    std::copy_n(before, dim * dim, state);
  }
  for (int t = 0; t < rows.n; ++t) {
    const float* mixed = rows.mixed + std::int64_t{t} * net.n_channels();
    const std::int64_t head_at = t * n_inner + head * dim;
    float* out = rows.out == nullptr ? unwanted : rows.out + head_at;
    const float* gate = rows.gates + std::int64_t{t} * 2 * net.n_v_heads + beta_at;
    l2_norm(mixed + head_k * dim, dim, s.hp.norm_eps, q);
    l2_norm(mixed + n_keys + head_k * dim, dim, s.hp.norm_eps, k);
    for (int i = 0; i < dim; ++i) q[i] *= scale;
    s.kernel.delta_rule({.state = state,
                         .q = q,
                         .k = k,
                         .v = mixed + 2 * n_keys + head * dim,
                         .decay = std::exp(softplus(gate[gates] + w.dt[head]) * w.a[head]),
                         .beta = sigmoid(gate[0]),
                         .dim = dim,
                         .out = out});
    if (rows.out == nullptr) continue;
    s.kernel.rms_norm(out, w.norm, dim, s.hp.norm_eps, out);
    s.kernel.silu_mul(rows.z + head_at, out, dim, out);
  }
}

// Regions: convolution and heads, for these rows of each sequence.
void remember(ForwardState& s, const DeltaNetWeights& w, int il, RowsOf rows_of) noexcept {
  const std::int64_t n_channels = s.hp.delta_net.n_channels();
  s.pool.parallel_for(count_slices(n_channels, kMaxSliceRows), [&](int item, int) {
    const RowSlice slice = slice_of(item, kMaxSliceRows, n_channels);
    for (const RunPart& part : s.parts) convolve(s.hp.delta_net, w, slice, rows_of(s, part, il));
  });
  s.pool.parallel_for(s.hp.delta_net.n_v_heads, [&](int head, int worker) {
    for (const RunPart& part : s.parts)
      delta_head(s, w, head, rows_of(s, part, il), s.buffers.worker(worker));
  });
}

// Takes in the tokens that are in flight, then saves the gates of the tokens that stay in flight
// now.
void take_in_flight(ForwardState& s, const DeltaNetWeights& w, int il) noexcept {
  const auto has_some = [](const RunPart& part) {
    return part.cache->recurrent().n_in_flight() > 0;
  };
  if (std::ranges::any_of(s.parts, has_some)) remember(s, w, il, rows_in_flight);
  for (const RunPart& part : s.parts) {
    const StateRows rows = rows_of_run(s, part, il);
    const std::int64_t n_gates = std::int64_t{2} * s.hp.delta_net.n_v_heads * rows.n;
    if (rows.in_flight) std::copy_n(rows.gates, n_gates, rows.state.gates_in_flight(il));
  }
}

}  // namespace

// Regions: norm and projections, convolution, the heads. The last two also run beforehand for
// tokens that the previous run left in flight.
void delta_net(ForwardState& s, const LayerPlan& layer) noexcept {
  const DeltaNetWeights& net = layer.weights.delta_net;
  [[maybe_unused]] const DeltaNetHparams& sizes = s.hp.delta_net;
  assert(net.qkv.n_rows + net.z.n_rows == sizes.n_channels() + sizes.n_v_heads * sizes.d_state);
  assert(net.qkv.rows.n_cols == s.hp.n_embd);
  assert(net.beta.n_rows + net.alpha.n_rows == 2 * sizes.n_v_heads);
  s.pack_normed(layer.mixer_input,
                formats_of({&net.qkv, &net.z, &net.beta, &net.alpha}, s.options.exact));
  project_delta_net(s, net);
  take_in_flight(s, net, layer.il);
  remember(s, net, layer.il, rows_of_run);
}

}  // namespace confab::engine
