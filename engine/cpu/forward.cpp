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
#include "engine/model/products.h"

namespace confab::engine {
namespace {

ForwardSizes sizes_of(int n_threads, const Forward::Options& options) noexcept {
  return {.n_threads = n_threads,
          .n_batch = options.n_batch,
          .n_logits = options.n_logits,
          .exact = options.exact};
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
const float* attend(ForwardState& s, const LayerPlan& layer, LogitsOf wanted) noexcept {
  const bool is_last = layer.il == s.hp.n_layer - 1;
  const bool keep_last = is_last && wanted == LogitsOf::last_token && s.n > 1;
  if (layer.mixer == Mixer::delta_net) {
    delta_net(s, layer);
    if (keep_last) {
      keep_last_row(s, s.buffers.att(), layer.mixer_out.rows.n_cols);
      keep_last_token(s);
    }
    return s.buffers.att();
  }
  const bool latent = layer.mixer == Mixer::latent_attention;
  latent ? latent_query_key(s, layer) : query_key_value(s, layer);
  if (is_last && wanted == LogitsOf::none) return nullptr;
  if (keep_last) {
    const std::int64_t n_q = std::int64_t{layer.shape.n_head} * layer.shape.head_dim_k;
    keep_last_row(s, s.buffers.q(), n_q);
    if (s.hp.attn_gate) keep_last_row(s, s.buffers.gate(), n_q);
    keep_last_token(s);
  }
  attention(s, layer);
  if (!latent) return s.buffers.att();
  latent_values(s, layer);
  return s.buffers.q();
}

// One decoder layer: x [n, n_embd] is updated in place, layer il of the cache grows by n rows.
void run_layer(ForwardState& s, const LayerPlan& layer, LogitsOf wanted) noexcept {
  const float* attended = attend(s, layer, wanted);
  if (layer.il == s.hp.n_layer - 1 && wanted == LogitsOf::none) return;
  s.pack_rows(attended, static_cast<int>(layer.mixer_out.rows.n_cols), layer.mixer_out);
  s.add_projection(layer.mixer_out, layer.mixer_residual.when);
  feed_forward(s, layer);
  if (layer.has_per_layer_input) add_per_layer_input(s, layer);
  if (layer.x_scale != nullptr) s.scale_stream(*layer.x_scale);
}

// Region: logits = output norm(x).
void output_rows(ForwardState& s) noexcept {
  s.pack_normed(s.plan.output_input, formats_of({&s.weights.output}, s.options.exact));
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
                 KvCache& cache, Options options) {
  const Plan plan(model.hparams, model.weights);
  assert(misfit(plan).empty());
  state_.reset(
      new ForwardState{.hp = model.hparams,
                       .weights = model.weights,
                       .plan = plan,
                       .kernel = table,
                       .pool = pool,
                       .cache = cache,
                       .options = options,
                       .ropes = make_ropes(model.hparams, model.weights, cache.n_ctx()),
                       .buffers = ForwardBuffers(plan, sizes_of(pool.n_threads(), options))});
}

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
  embed(s, tokens);
  if (s.hp.n_embd_per_layer > 0) per_layer_inputs(s, tokens);
  for (const LayerPlan& layer : s.plan.layers) {
    if (layer.il > 0 && !go_on(layer.il)) return {};
    run_layer(s, layer, logits);
  }
  s.cache.commit(static_cast<int>(tokens.size()));
  if (logits == LogitsOf::none) return {};
  output_rows(s);
  return {s.buffers.logits(), static_cast<std::size_t>(s.n) * s.hp.n_vocab};
}

std::size_t Forward::scratch_bytes(const Model& model, int n_threads, Options options) {
  return ForwardBuffers::bytes(Plan(model.hparams, model.weights), sizes_of(n_threads, options));
}

}  // namespace confab::engine
