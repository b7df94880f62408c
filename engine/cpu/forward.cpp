// SPDX-License-Identifier: MIT
#include "engine/cpu/forward.h"

#include <algorithm>
#include <cassert>

#include "engine/cpu/attention_regions.h"
#include "engine/cpu/delta_net_regions.h"
#include "engine/cpu/feed_forward_regions.h"
#include "engine/cpu/forward_state.h"
#include "engine/cpu/latent_regions.h"
#include "engine/cpu/per_layer_input_regions.h"
#include "engine/model/model.h"

namespace confab::engine {
namespace {

ForwardSizes sizes_of(const Model& model, int n_threads, const Forward::Options& options) {
  ActFormats all;
  for (const kernels::Dtype dtype : model.weights.matrix_types) {
    all.add(kernels::act_format(dtype, options.exact));
  }
  return {.n_threads = n_threads,
          .n_batch = options.n_batch,
          .n_logits = options.n_logits,
          .packed = all};
}

// x = rows of the embedding, scaled; also the rotary angles of the run's positions.
void embed(ForwardState& s, std::span<const Token> tokens) noexcept {
  const kernels::WeightRows& rows = s.weights.token_embd.rows;
  s.for_each_token([&](int t, int) {
    assert(tokens[t] >= 0 && tokens[t] < s.hp.n_vocab);
    const auto token = static_cast<std::size_t>(tokens[t]);
    float* x = s.buffers.x() + std::int64_t{t} * s.hp.n_embd;
    s.kernel.decode_row(rows.dtype, rows.data + rows.row_bytes * token, s.hp.n_embd, x);
    if (s.hp.embedding_scale != 1) {
      for (int i = 0; i < s.hp.n_embd; ++i) x[i] *= s.hp.embedding_scale;
    }
    for (int rope = 0; rope < static_cast<int>(s.ropes.size()); ++rope) {
      const auto& how = s.hp.ropes[static_cast<std::size_t>(rope)];
      const std::int64_t angles = std::int64_t{t} * (how.n_rot / 2);
      s.ropes[static_cast<std::size_t>(rope)].angles(s.pos + t, s.buffers.cosines(rope) + angles,
                                                     s.buffers.sines(rope) + angles);
    }
  });
}

void keep_last_row(const ForwardState& s, float* rows, std::int64_t n_row) noexcept {
  std::copy_n(rows + (s.n - 1) * n_row, n_row, rows);
}

// The run goes on as if its last token had been its only one.
void keep_last_token(ForwardState& s) noexcept {
  keep_last_row(s, s.buffers.x(), s.hp.n_embd);
  keep_last_row(s, s.buffers.per_layer(), std::int64_t{s.hp.n_layer} * s.hp.n_embd_per_layer);
  s.pos += s.n - 1;
  s.n = 1;
}

// Attention, or what takes its place, up to the output's projection: its rows for the tokens that
// go on. Once the last layer has remembered all, only those whose logits are wanted do.
const float* attend(ForwardState& s, const LayerWeights& w, int il, LogitsOf wanted) noexcept {
  const LayerHparams& layer = s.layer_hparams(il);
  const bool is_last = il == s.hp.n_layer - 1;
  const bool keep_last = is_last && wanted == LogitsOf::last_token && s.n > 1;
  if (layer.recurrent) {
    delta_net(s, w, il);
    if (keep_last) {
      keep_last_row(s, s.buffers.att(), w.delta_net.out.rows.n_cols);
      keep_last_token(s);
    }
    return s.buffers.att();
  }
  const bool latent = s.hp.latent.kv_rank > 0;
  latent ? latent_query_key(s, w, il) : query_key_value(s, w, il);
  if (is_last && wanted == LogitsOf::none) return nullptr;
  if (keep_last) {
    const std::int64_t n_q = std::int64_t{layer.n_head} * layer.head_dim_k;
    keep_last_row(s, s.buffers.q(), n_q);
    if (s.hp.attn_gate) keep_last_row(s, s.buffers.gate(), n_q);
    keep_last_token(s);
  }
  attention(s, w, il);
  if (!latent) return s.buffers.att();
  latent_values(s, w.latent, il);
  return s.buffers.q();
}

// One decoder layer: x [n, n_embd] is updated in place, layer il of the cache grows by n rows.
void layer(ForwardState& s, const LayerWeights& w, int il, LogitsOf wanted) noexcept {
  const float* attended = attend(s, w, il, wanted);
  if (il == s.hp.n_layer - 1 && wanted == LogitsOf::none) return;
  const Matrix& out = s.layer_hparams(il).recurrent ? w.delta_net.out : w.attn_output;
  s.pack_rows(attended, static_cast<int>(out.rows.n_cols), out);
  if (s.hp.post_norms || s.hp.parallel) {
    s.leave_projection(out, w.attn_post_norm);
  } else {
    s.add_projection(out);
  }
  feed_forward(s, w, il);
  if (s.hp.n_embd_per_layer > 0) add_per_layer_input(s, w, il);
  if (s.pending.y) {
    s.pending.x_scale = w.output_scale;
  } else if (w.output_scale != nullptr) {
    s.scale_stream(*w.output_scale);
  }
}

// Region: logits = output norm(x).
void output_rows(ForwardState& s) noexcept {
  s.pack_normed(s.weights.output_norm, formats_of({&s.weights.output}, s.options.exact));
  s.for_each_slice(s.hp.n_vocab, [&](std::int64_t row0, std::int64_t n_rows, int) {
    float* logits = s.buffers.logits() + row0;
    s.project(s.weights.output, row0, n_rows, logits, s.hp.n_vocab);
    for (int t = 0; t < s.n; ++t, logits += s.hp.n_vocab) {
      if (s.hp.logit_scale != 1) {
        for (std::int64_t i = 0; i < n_rows; ++i) logits[i] *= s.hp.logit_scale;
      }
      if (s.hp.logit_softcap > 0) s.kernel.soft_cap(logits, n_rows, s.hp.logit_softcap);
    }
  });
}

}  // namespace

Forward::Forward(const Model& model, const kernels::KernelTable& table, kernels::ThreadPool& pool,
                 KvCache& cache, Options options)
    : state_(new ForwardState{
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
  return is_made_of_blocks(state_->cache);
}

std::span<const float> Forward::run(std::span<const Token> tokens, LogitsOf logits) noexcept {
  return run(tokens, logits, [](int) { return true; });
}

std::span<const float> Forward::run(std::span<const Token> tokens, LogitsOf logits,
                                    kernels::FunctionRef<bool(int)> go_on) noexcept {
  ForwardState& s = *state_;
  s.n = static_cast<int>(tokens.size());
  s.pos = s.cache.n_tokens();
  assert(s.n >= 1 && s.n <= s.options.n_batch && s.n <= s.cache.n_ctx() - s.pos);
  assert(logits != LogitsOf::all_tokens || s.n <= s.options.n_logits);
  s.pending = {};
  embed(s, tokens);
  if (s.hp.n_embd_per_layer > 0) per_layer_inputs(s, tokens);
  for (int il = 0; il < s.hp.n_layer; ++il) {
    if (il > 0 && !go_on(il)) return {};
    layer(s, s.weights.layers[static_cast<std::size_t>(il)], il, logits);
  }
  s.cache.commit(static_cast<int>(tokens.size()));
  if (logits == LogitsOf::none) return {};
  output_rows(s);
  return {s.buffers.logits(), static_cast<std::size_t>(s.n) * s.hp.n_vocab};
}

std::size_t Forward::scratch_bytes(const Model& model, int n_threads, Options options) {
  return ForwardBuffers::bytes(model.hparams, sizes_of(model, n_threads, options));
}

}  // namespace confab::engine
