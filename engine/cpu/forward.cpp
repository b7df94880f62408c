// SPDX-License-Identifier: MIT
#include "engine/cpu/forward.h"

#include <algorithm>
#include <cassert>

#include "engine/cpu/forward_state.h"
#include "engine/model/model.h"

namespace confab::engine {
namespace {

using kernels::ActFormat;

ForwardSizes sizes_of(const Model& model, int n_threads, const Forward::Options& options) {
  const Weights& w = model.weights;
  ActFormats all = formats_of({&w.output, &w.per_layer_model_proj}, options.exact);
  for (const LayerWeights& l : w.layers) {
    all |= formats_of(
        {&l.latent.q_a, &l.latent.kv_a, &l.attn_q, &l.attn_k, &l.attn_v, &l.attn_output,
         &l.ffn_gate, &l.ffn_up, &l.ffn_down, &l.per_layer_gate, &l.per_layer_proj,
         &l.delta_net.qkv, &l.delta_net.z, &l.delta_net.beta, &l.delta_net.alpha, &l.delta_net.out},
        options.exact);
    if (l.experts.gate.empty()) continue;
    const ExpertWeights& e = l.experts;
    all |= formats_of({&e.router, &e.gate.front(), &e.up.front(), &e.down.front(), &e.shared_router,
                       &e.shared_gate, &e.shared_up, &e.shared_down},
                      options.exact);
  }
  return {.n_threads = n_threads,
          .n_batch = options.n_batch,
          .n_logits = options.all_logits ? options.n_batch : 1,
          .packed = all};
}

}  // namespace

ActFormats formats_of(std::initializer_list<const Matrix*> matrices, bool exact) noexcept {
  ActFormats formats;
  for (const Matrix* m : matrices) {
    if (m->n_rows == 0) continue;
    formats.add(kernels::act_format(m->rows.dtype, exact));
  }
  return formats;
}

void Forward::State::pack(const float* row, int n_cols, int t, ActFormats formats) noexcept {
  for (const ActFormat format : {ActFormat::f32, ActFormat::q8, ActFormat::bf16}) {
    if (!formats.has(format)) continue;
    const std::size_t row_bytes = kernels::act_row_bytes(format, n_cols);
    kernel.pack_row(format, row, n_cols,
                    buffers.packed(format) + row_bytes * static_cast<std::size_t>(t));
  }
}

void Forward::State::norm_row(const float* x, const Norm& norm, float* y) const noexcept {
  const auto norm_of = hp.norm == NormKind::rms ? kernel.rms_norm : kernel.layer_norm;
  norm_of(x, norm.weight, hp.n_embd, hp.norm_eps, y);
  if (norm.bias != nullptr) kernel.add(norm.bias, hp.n_embd, y);
}

void Forward::State::add_pending(int t, float* scratch) noexcept {
  const float* y = buffers.y() + std::int64_t{t} * hp.n_embd;
  if (y_norm.weight != nullptr) {
    norm_row(y, y_norm, scratch);
    y = scratch;
  }
  float* x = buffers.x() + std::int64_t{t} * hp.n_embd;
  kernel.add_scaled(y, hp.n_embd, hp.residual_scale, x);
  if (x_scale == nullptr) return;
  for (int i = 0; i < hp.n_embd; ++i) x[i] *= *x_scale;
}

void Forward::State::pack_normed(const Norm& norm, ActFormats formats) noexcept {
  const bool has_norm = norm.weight != nullptr;
  for_each_token([&](int t, int worker) {
    float* x = buffers.x() + std::int64_t{t} * hp.n_embd;
    float* scratch = buffers.worker(worker);
    if (y_pending && !hp.parallel) add_pending(t, scratch);
    if (has_norm) norm_row(x, norm, scratch);
    pack(has_norm ? scratch : x, hp.n_embd, t, formats);
    if (y_pending && hp.parallel) add_pending(t, scratch);
  });
  y_pending = false;
  x_scale = nullptr;
}

void Forward::State::pack_rows(const float* rows, int n_cols, const Matrix& m) noexcept {
  const ActFormats formats = formats_of({&m}, options.exact);
  for_each_token([&](int t, int) { pack(rows + std::int64_t{t} * n_cols, n_cols, t, formats); });
}

kernels::Activations Forward::State::packed_rows(const Matrix& m, int first,
                                                 int n_rows) const noexcept {
  const ActFormat format = kernels::act_format(m.rows.dtype, options.exact);
  const std::size_t row_bytes = kernels::act_row_bytes(format, m.rows.n_cols);
  return {format, buffers.packed(format) + row_bytes * static_cast<std::size_t>(first), n_rows,
          row_bytes};
}

void Forward::State::project(const Matrix& m, RowRange rows, const kernels::Activations& x,
                             float* y, std::int64_t y_stride) noexcept {
  kernel.matmul(m.rows, rows.row0, rows.n_rows, x, y, y_stride);
  for (int t = 0; t < x.n_tokens; ++t, y += y_stride) {
    if (m.scale != 1) {
      for (std::int64_t i = 0; i < rows.n_rows; ++i) y[i] *= m.scale;
    }
    if (m.bias != nullptr) kernel.add(m.bias + rows.row0, rows.n_rows, y);
  }
}

void Forward::State::project(const Matrix& m, std::int64_t row0, std::int64_t n_rows, float* y,
                             std::int64_t y_stride) noexcept {
  project(m, {row0, n_rows}, packed_rows(m, 0, n), y, y_stride);
}

void Forward::State::add_projection(const Matrix& m) noexcept {
  for_each_slice(m.n_rows, [&](std::int64_t row0, std::int64_t n_rows, int worker) {
    float* y = buffers.worker(worker);
    project(m, row0, n_rows, y, n_rows);
    for (int t = 0; t < n; ++t) {
      kernel.add_scaled(y + t * n_rows, n_rows, hp.residual_scale,
                        buffers.x() + std::int64_t{t} * hp.n_embd + row0);
    }
  });
}

void Forward::State::leave_projection(const Matrix& m, const Norm& norm) noexcept {
  y_pending = true;
  y_norm = norm;
  for_each_slice(m.n_rows, [&](std::int64_t row0, std::int64_t n_rows, int) {
    project(m, row0, n_rows, buffers.y() + row0, hp.n_embd);
  });
}

// x = rows of the embedding, scaled; also the rotary angles of the run's positions.
void Forward::State::embed(std::span<const Token> tokens) noexcept {
  const kernels::WeightRows& rows = weights.token_embd.rows;
  for_each_token([&](int t, int) {
    assert(tokens[t] >= 0 && tokens[t] < hp.n_vocab);
    const auto token = static_cast<std::size_t>(tokens[t]);
    float* x = buffers.x() + std::int64_t{t} * hp.n_embd;
    kernel.decode_row(rows.dtype, rows.data + rows.row_bytes * token, hp.n_embd, x);
    if (hp.embedding_scale != 1) {
      for (int i = 0; i < hp.n_embd; ++i) x[i] *= hp.embedding_scale;
    }
    for (int rope = 0; rope < static_cast<int>(ropes.size()); ++rope) {
      const auto& how = hp.ropes[static_cast<std::size_t>(rope)];
      const std::int64_t angles = std::int64_t{t} * (how.n_rot / 2);
      ropes[static_cast<std::size_t>(rope)].angles(pos + t, buffers.cosines(rope) + angles,
                                                   buffers.sines(rope) + angles);
    }
  });
}

void Forward::State::keep_last_row(float* rows, std::int64_t n_row) const noexcept {
  std::copy_n(rows + (n - 1) * n_row, n_row, rows);
}

// The run goes on as if its last token had been its only one.
void Forward::State::keep_last_token() noexcept {
  keep_last_row(buffers.x(), hp.n_embd);
  keep_last_row(buffers.per_layer(), std::int64_t{hp.n_layer} * hp.n_embd_per_layer);
  pos += n - 1;
  n = 1;
}

// Attention, or what takes its place, up to the output's projection: its rows for the tokens that
// go on. Once the last layer has remembered all, only those whose logits are wanted do.
const float* Forward::State::attend(const LayerWeights& w, int il, LogitsOf wanted) noexcept {
  const LayerHparams& layer = layer_hparams(il);
  const bool is_last = il == hp.n_layer - 1;
  const bool keep_last = is_last && wanted == LogitsOf::last_token && n > 1;
  if (layer.recurrent) {
    delta_net(w, il);
    if (keep_last) {
      keep_last_row(buffers.att(), w.delta_net.out.rows.n_cols);
      keep_last_token();
    }
    return buffers.att();
  }
  const bool latent = hp.latent.kv_rank > 0;
  latent ? latent_query_key(w, il) : query_key_value(w, il);
  if (is_last && wanted == LogitsOf::none) return nullptr;
  if (keep_last) {
    const std::int64_t n_q = std::int64_t{layer.n_head} * layer.head_dim_k;
    keep_last_row(buffers.q(), n_q);
    if (hp.attn_gate) keep_last_row(buffers.gate(), n_q);
    keep_last_token();
  }
  attention(w, il);
  if (!latent) return buffers.att();
  latent_values(w.latent, il);
  return buffers.q();
}

// One decoder layer: x [n, n_embd] is updated in place, layer il of the cache grows by n rows.
void Forward::State::layer(const LayerWeights& w, int il, LogitsOf wanted) noexcept {
  const float* attended = attend(w, il, wanted);
  if (il == hp.n_layer - 1 && wanted == LogitsOf::none) return;
  const Matrix& out = layer_hparams(il).recurrent ? w.delta_net.out : w.attn_output;
  pack_rows(attended, static_cast<int>(out.rows.n_cols), out);
  if (hp.post_norms || hp.parallel) {
    leave_projection(out, w.attn_post_norm);
  } else {
    add_projection(out);
  }
  feed_forward(w, il);
  if (hp.n_embd_per_layer > 0) add_per_layer_input(w, il);
  x_scale = w.output_scale;
}

// Region: logits = output norm(x).
void Forward::State::output_rows() noexcept {
  pack_normed(weights.output_norm, formats_of({&weights.output}, options.exact));
  for_each_slice(hp.n_vocab, [&](std::int64_t row0, std::int64_t n_rows, int) {
    float* logits = buffers.logits() + row0;
    project(weights.output, row0, n_rows, logits, hp.n_vocab);
    for (int t = 0; t < n; ++t, logits += hp.n_vocab) {
      if (hp.logit_scale != 1) {
        for (std::int64_t i = 0; i < n_rows; ++i) logits[i] *= hp.logit_scale;
      }
      if (hp.logit_softcap > 0) kernel.soft_cap(logits, n_rows, hp.logit_softcap);
    }
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
          .ropes = make_ropes(model.hparams, model.weights, cache.n_ctx()),
          .buffers = ForwardBuffers(model.hparams, sizes_of(model, pool.n_threads(), options))}) {}

Forward::~Forward() = default;

bool Forward::can_stop() const noexcept {
  return state_->cache.is_made_of_blocks();
}

std::span<const float> Forward::run(std::span<const Token> tokens, LogitsOf logits) noexcept {
  return run(tokens, logits, [](int) { return true; });
}

std::span<const float> Forward::run(std::span<const Token> tokens, LogitsOf logits,
                                    kernels::FunctionRef<bool(int)> go_on) noexcept {
  State& s = *state_;
  s.n = static_cast<int>(tokens.size());
  s.pos = s.cache.n_tokens();
  assert(s.n >= 1 && s.n <= s.options.n_batch && s.n <= s.cache.n_ctx() - s.pos);
  assert(logits != LogitsOf::all_tokens || s.options.all_logits);
  s.y_pending = false;
  s.x_scale = nullptr;
  s.embed(tokens);
  if (s.hp.n_embd_per_layer > 0) s.per_layer_inputs(tokens);
  for (int il = 0; il < s.hp.n_layer; ++il) {
    if (il > 0 && !go_on(il)) return {};
    s.layer(s.weights.layers[static_cast<std::size_t>(il)], il, logits);
  }
  s.cache.commit(static_cast<int>(tokens.size()));
  if (logits == LogitsOf::none) return {};
  s.output_rows();
  return {s.buffers.logits(), static_cast<std::size_t>(s.n) * s.hp.n_vocab};
}

std::size_t Forward::scratch_bytes(const Model& model, int n_threads, Options options) {
  return ForwardBuffers::bytes(model.hparams, sizes_of(model, n_threads, options));
}

}  // namespace confab::engine
