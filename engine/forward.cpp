// SPDX-License-Identifier: MIT
#include "engine/forward.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <initializer_list>

#include "engine/forward_buffers.h"
#include "engine/model.h"
#include "engine/rope.h"

namespace confab::engine {
namespace {

using kernels::ActFormat;

// Queries of one KV head that are attended to together: few enough that a prompt makes work for
// the whole team, many enough that K and V are read rarely.
constexpr int kQueryTile = 16;

struct Formats {
  bool f32 = false;
  bool q8 = false;
};

// The formats in which these matrices want their activations.
Formats formats_of(std::initializer_list<const Matrix*> matrices, bool exact) noexcept {
  Formats formats;
  for (const Matrix* m : matrices) {
    const bool q8 = kernels::act_format(m->rows.dtype, exact) == ActFormat::q8;
    (q8 ? formats.q8 : formats.f32) = true;
  }
  return formats;
}

ForwardSizes sizes_of(const Model& model, int n_threads, const Forward::Options& options) {
  const Weights& w = model.weights;
  Formats all = formats_of({&w.output}, options.exact);
  for (const LayerWeights& l : w.layers) {
    const Formats layer = formats_of(
        {&l.attn_q, &l.attn_k, &l.attn_v, &l.attn_output, &l.ffn_gate, &l.ffn_up, &l.ffn_down},
        options.exact);
    all.f32 |= layer.f32;
    all.q8 |= layer.q8;
  }
  return {.n_threads = n_threads,
          .n_batch = options.n_batch,
          .n_logits = options.all_logits ? options.n_batch : 1,
          .f32 = all.f32,
          .q8 = all.q8};
}

int n_slices(std::int64_t n_rows, int slice_rows) noexcept {
  return static_cast<int>((n_rows + slice_rows - 1) / slice_rows);
}

}  // namespace

// The buffers hold `n` tokens at the positions from `pos` on while a run lasts. Comments give
// shapes; a region is one parallel loop.
struct Forward::State {
  const Hparams& hp;
  const Weights& weights;
  const kernels::KernelTable& kernel;
  kernels::ThreadPool& pool;
  KvCache& cache;
  const Options options;
  const Rope rope;
  const ForwardBuffers buffers;
  int n = 0;
  int pos = 0;

  void embed(std::span<const Token> tokens) noexcept;
  void layer(const LayerWeights& w, int il, LogitsOf wanted) noexcept;
  void query_key_value(const LayerWeights& w, int il) noexcept;
  void query_head(const Matrix& wq, int head) noexcept;
  void key_head(const Matrix& wk, int il, int head, float* scratch) noexcept;
  void value_head(const Matrix& wv, int il, int head, float* scratch) noexcept;
  void attention(int il) noexcept;
  void feed_forward(const Matrix& gate, const Matrix& up) noexcept;
  void add_projection(const Matrix& m) noexcept;
  void keep_last_token() noexcept;
  void output_rows() noexcept;

  template <typename F>
  void for_each_token(const F& f) noexcept;
  template <typename F>
  void for_each_slice(std::int64_t n_rows, const F& f) noexcept;
  void pack(const float* row, int n_cols, int t, Formats formats) noexcept;
  void pack_normed(const float* norm, Formats formats) noexcept;
  void pack_rows(const float* rows, int n_cols, const Matrix& m) noexcept;
  void project(const Matrix& m, std::int64_t row0, std::int64_t n_rows, float* y,
               std::int64_t y_stride) noexcept;
  void rotate(float* row, int t) const noexcept;
};

// f(t, worker) for each token. A single token is not worth a barrier.
template <typename F>
void Forward::State::for_each_token(const F& f) noexcept {
  if (n == 1) return f(0, 0);
  pool.parallel_for(n, f);
}

// f(row0, n_rows, worker) for each slice of the rows of a matrix: some slices a thread, so that one
// that lost its core holds up nobody, of whole cache lines of results.
template <typename F>
void Forward::State::for_each_slice(std::int64_t n_rows, const F& f) noexcept {
  const std::int64_t share = n_rows / (4 * pool.n_threads());
  const int slice = static_cast<int>(std::clamp<std::int64_t>(share / 16 * 16, 16, kMaxSliceRows));
  pool.parallel_for(n_slices(n_rows, slice), [&](int item, int worker) {
    const std::int64_t row0 = std::int64_t{item} * slice;
    f(row0, std::min<std::int64_t>(slice, n_rows - row0), worker);
  });
}

void Forward::State::pack(const float* row, int n_cols, int t, Formats formats) noexcept {
  for (const ActFormat format : {ActFormat::f32, ActFormat::q8}) {
    if (!(format == ActFormat::f32 ? formats.f32 : formats.q8)) continue;
    const std::size_t row_bytes = kernels::act_row_bytes(format, n_cols);
    kernel.pack_row(format, row, n_cols,
                    buffers.packed(format) + row_bytes * static_cast<std::size_t>(t));
  }
}

// Packed rows = rms_norm(x).
void Forward::State::pack_normed(const float* norm, Formats formats) noexcept {
  for_each_token([&](int t, int worker) {
    float* normed = buffers.worker(worker);
    kernel.rms_norm(buffers.x() + std::int64_t{t} * hp.n_embd, norm, hp.n_embd, hp.rms_norm_eps,
                    normed);
    pack(normed, hp.n_embd, t, formats);
  });
}

// Packed rows = rows [n, n_cols], as m wants them.
void Forward::State::pack_rows(const float* rows, int n_cols, const Matrix& m) noexcept {
  const Formats formats = formats_of({&m}, options.exact);
  for_each_token([&](int t, int) { pack(rows + std::int64_t{t} * n_cols, n_cols, t, formats); });
}

// y = m x + bias for the rows [row0, row0 + n_rows) and the packed tokens.
void Forward::State::project(const Matrix& m, std::int64_t row0, std::int64_t n_rows, float* y,
                             std::int64_t y_stride) noexcept {
  const ActFormat format = kernels::act_format(m.rows.dtype, options.exact);
  const kernels::Activations x{format, buffers.packed(format), n,
                               kernels::act_row_bytes(format, m.rows.n_cols)};
  kernel.matmul(m.rows, row0, n_rows, x, y, y_stride);
  if (m.bias == nullptr) return;
  for (int t = 0; t < n; ++t) kernel.add(m.bias + row0, n_rows, y + t * y_stride);
}

void Forward::State::rotate(float* row, int t) const noexcept {
  const std::int64_t angles = std::int64_t{t} * (hp.n_rot / 2);
  kernel.rope(row, hp.n_rot, hp.rope_interleaved, buffers.cosines() + angles,
              buffers.sines() + angles);
}

// x = rows of the embedding; also the rotary angles of the run's positions.
void Forward::State::embed(std::span<const Token> tokens) noexcept {
  const kernels::WeightRows& rows = weights.token_embd.rows;
  for_each_token([&](int t, int) {
    assert(tokens[t] >= 0 && tokens[t] < hp.n_vocab);
    const auto token = static_cast<std::size_t>(tokens[t]);
    kernel.decode_row(rows.dtype, rows.data + rows.row_bytes * token, hp.n_embd,
                      buffers.x() + std::int64_t{t} * hp.n_embd);
    const std::int64_t angles = std::int64_t{t} * (hp.n_rot / 2);
    rope.angles(pos + t, buffers.cosines() + angles, buffers.sines() + angles);
  });
}

// q = rope(wq x + bias) of one head, for all tokens.
void Forward::State::query_head(const Matrix& wq, int head) noexcept {
  const std::int64_t stride = std::int64_t{hp.n_head} * hp.head_dim_k;
  const std::int64_t row0 = std::int64_t{head} * hp.head_dim_k;
  float* q = buffers.q() + row0;
  project(wq, row0, hp.head_dim_k, q, stride);
  for (int t = 0; t < n; ++t) rotate(q + t * stride, t);
}

void Forward::State::key_head(const Matrix& wk, int il, int head, float* scratch) noexcept {
  project(wk, std::int64_t{head} * hp.head_dim_k, hp.head_dim_k, scratch, hp.head_dim_k);
  const kernels::Dtype dtype = cache.keys(il, head).dtype;
  for (int t = 0; t < n; ++t) {
    float* k = scratch + std::int64_t{t} * hp.head_dim_k;
    rotate(k, t);
    kernel.encode_row(dtype, k, hp.head_dim_k, cache.key_row(il, head, pos + t));
  }
}

void Forward::State::value_head(const Matrix& wv, int il, int head, float* scratch) noexcept {
  project(wv, std::int64_t{head} * hp.head_dim_v, hp.head_dim_v, scratch, hp.head_dim_v);
  const kernels::Dtype dtype = cache.values(il, head).dtype;
  for (int t = 0; t < n; ++t) {
    kernel.encode_row(dtype, scratch + std::int64_t{t} * hp.head_dim_v, hp.head_dim_v,
                      cache.value_row(il, head, pos + t));
  }
}

// Region: norm, q, k, v, rope, append to the cache. An item is one head.
void Forward::State::query_key_value(const LayerWeights& w, int il) noexcept {
  pack_normed(w.attn_norm, formats_of({&w.attn_q, &w.attn_k, &w.attn_v}, options.exact));
  pool.parallel_for(hp.n_head + 2 * hp.n_head_kv, [&](int item, int worker) {
    float* scratch = buffers.worker(worker);
    if (item < hp.n_head) {
      query_head(w.attn_q, item);
    } else if (item < hp.n_head + hp.n_head_kv) {
      key_head(w.attn_k, il, item - hp.n_head, scratch);
    } else {
      value_head(w.attn_v, il, item - hp.n_head - hp.n_head_kv, scratch);
    }
  });
}

// Region: att = softmax(q k / sqrt(head_dim)) v. An item is one KV head, with the query heads that
// share it, and a tile of queries.
void Forward::State::attention(int il) noexcept {
  const int n_tiles = (n + kQueryTile - 1) / kQueryTile;
  const int n_group = hp.n_head / hp.n_head_kv;
  const std::int64_t q_stride = std::int64_t{hp.n_head} * hp.head_dim_k;
  const std::int64_t out_stride = std::int64_t{hp.n_head} * hp.head_dim_v;
  pool.parallel_for(hp.n_head_kv * n_tiles, [&](int item, int worker) {
    // The last tiles see the most keys, so they go first.
    const int head_kv = item % hp.n_head_kv;
    const int t = (n_tiles - 1 - item / hp.n_head_kv) * kQueryTile;
    const std::int64_t head = std::int64_t{head_kv} * n_group;
    kernel.attention({.q = buffers.q() + t * q_stride + head * hp.head_dim_k,
                      .q_stride = q_stride,
                      .out = buffers.att() + t * out_stride + head * hp.head_dim_v,
                      .out_stride = out_stride,
                      .n_queries = std::min(kQueryTile, n - t),
                      .n_group = n_group,
                      .head_dim_k = hp.head_dim_k,
                      .head_dim_v = hp.head_dim_v,
                      .pos = pos + t,
                      .window = 0,
                      .scale = 1 / std::sqrt(static_cast<float>(hp.head_dim_k)),
                      .k = cache.keys(il, head_kv),
                      .v = cache.values(il, head_kv),
                      .scratch = buffers.worker(worker)});
  });
}

// Region: x += m y + bias, for the packed rows y.
void Forward::State::add_projection(const Matrix& m) noexcept {
  for_each_slice(m.n_rows, [&](std::int64_t row0, std::int64_t n_rows, int worker) {
    float* y = buffers.worker(worker);
    project(m, row0, n_rows, y, n_rows);
    for (int t = 0; t < n; ++t) {
      kernel.add(y + t * n_rows, n_rows, buffers.x() + std::int64_t{t} * hp.n_embd + row0);
    }
  });
}

// Region: hidden = silu(gate x) * up x, for the packed rows x.
void Forward::State::feed_forward(const Matrix& gate, const Matrix& up) noexcept {
  for_each_slice(gate.n_rows, [&](std::int64_t row0, std::int64_t n_rows, int worker) {
    float* h = buffers.hidden() + row0;
    float* u = buffers.worker(worker);
    project(gate, row0, n_rows, h, hp.n_ff);
    project(up, row0, n_rows, u, n_rows);
    for (int t = 0; t < n; ++t) {
      float* row = h + std::int64_t{t} * hp.n_ff;
      kernel.silu_mul(row, u + t * n_rows, n_rows, row);
    }
  });
}

// The run goes on as if its last token had been its only one.
void Forward::State::keep_last_token() noexcept {
  const std::int64_t last = n - 1, n_q = std::int64_t{hp.n_head} * hp.head_dim_k;
  std::copy_n(buffers.x() + last * hp.n_embd, hp.n_embd, buffers.x());
  std::copy_n(buffers.q() + last * n_q, n_q, buffers.q());
  pos += n - 1;
  n = 1;
}

// One decoder layer: x [n, n_embd] is updated in place, layer il of the cache grows by n rows. Once
// the last layer has K and V, only the tokens whose logits are wanted go on.
void Forward::State::layer(const LayerWeights& w, int il, LogitsOf wanted) noexcept {
  query_key_value(w, il);
  if (il == hp.n_layer - 1) {
    if (wanted == LogitsOf::none) return;
    if (wanted == LogitsOf::last_token && n > 1) keep_last_token();
  }
  attention(il);
  pack_rows(buffers.att(), hp.n_head * hp.head_dim_v, w.attn_output);
  add_projection(w.attn_output);

  pack_normed(w.ffn_norm, formats_of({&w.ffn_gate, &w.ffn_up}, options.exact));
  feed_forward(w.ffn_gate, w.ffn_up);
  pack_rows(buffers.hidden(), hp.n_ff, w.ffn_down);
  add_projection(w.ffn_down);
}

// Region: logits = output rms_norm(x).
void Forward::State::output_rows() noexcept {
  pack_normed(weights.output_norm, formats_of({&weights.output}, options.exact));
  for_each_slice(hp.n_vocab, [&](std::int64_t row0, std::int64_t n_rows, int) {
    project(weights.output, row0, n_rows, buffers.logits() + row0, hp.n_vocab);
  });
}

Forward::Forward(const Model& model, const kernels::KernelTable& table, kernels::ThreadPool& pool,
                 KvCache& cache, Options options)
    : state_(new State{
          .hp = model.hparams,
          .weights = model.weights,
          .kernel = table,
          .pool = pool,
          .cache = cache,
          .options = options,
          .rope = Rope(model.hparams, model.weights.rope_freqs),
          .buffers = ForwardBuffers(model.hparams, sizes_of(model, pool.n_threads(), options))}) {}

Forward::~Forward() = default;

std::span<const float> Forward::run(std::span<const Token> tokens, LogitsOf logits) noexcept {
  State& s = *state_;
  s.n = static_cast<int>(tokens.size());
  s.pos = s.cache.n_tokens();
  assert(s.n >= 1 && s.n <= s.options.n_batch && s.n <= s.cache.n_ctx() - s.pos);
  assert(logits != LogitsOf::all_tokens || s.options.all_logits);
  s.embed(tokens);
  for (int il = 0; il < s.hp.n_layer; ++il)
    s.layer(s.weights.layers[static_cast<std::size_t>(il)], il, logits);
  s.cache.commit(static_cast<int>(tokens.size()));
  if (logits == LogitsOf::none) return {};
  s.output_rows();
  return {s.buffers.logits(), static_cast<std::size_t>(s.n) * s.hp.n_vocab};
}

std::size_t Forward::scratch_bytes(const Model& model, int n_threads, Options options) {
  return ForwardBuffers::bytes(model.hparams, sizes_of(model, n_threads, options));
}

}  // namespace confab::engine
