// SPDX-License-Identifier: MIT
#include "engine/cpu/forward.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/cpu/attention_regions.h"
#include "engine/cpu/delta_net_regions.h"
#include "engine/cpu/feed_forward_regions.h"
#include "engine/cpu/forward_state.h"
#include "engine/cpu/latent_regions.h"
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

// The rotary angles of token t's position.
void find_angles(ForwardState& s, int t) noexcept {
  for (int rope = 0; rope < static_cast<int>(s.ropes.size()); ++rope) {
    const auto& how = s.hp.ropes[static_cast<std::size_t>(rope)];
    const std::int64_t angles = std::int64_t{t} * (how.n_rot / 2);
    s.ropes[static_cast<std::size_t>(rope)].angles(s.pos(t), s.buffers.cosines(rope) + angles,
                                                   s.buffers.sines(rope) + angles);
  }
}

// x = scaled rows of the embedding. Also computes the rotary angles of the run's positions.
void embed(ForwardState& s) noexcept {
  s.for_each_token([&](int t, int) {
    s.embedding_row(s.weights.token_embd, t, s.buffers.x() + std::int64_t{t} * s.hp.n_embd);
    find_angles(s, t);
  });
}

// Inputs that each token gives directly to each layer, in addition to the residual stream (Gemma 3n
// and 4). They are computed once per run from a second embedding of the token and a projection of
// the stream, and are added at the end of each layer, gated by the stream.
//
// Regions: inputs [n, n_layer, n_embd_per_layer] =
//   (rms_norm(projection of x / sqrt(n_embd)) + embedding * sqrt(n_embd_per_layer)) / sqrt(2).
void per_layer_inputs(ForwardState& s) noexcept {
  const Matrix& projection = s.weights.per_layer_model_proj;
  const std::int64_t n_all = projection.n_rows;
  const std::int64_t n_one = s.hp.n_embd_per_layer;
  s.pack_normed({}, formats_of({&projection}, s.options.exact));
  s.for_each_slice(n_all, [&](std::int64_t row0, std::int64_t n_rows, int) {
    s.project(projection, row0, n_rows, s.buffers.per_layer() + row0, n_all);
  });
  const float of_projection = 1 / std::sqrt(static_cast<float>(s.hp.n_embd));
  const float of_embedding = std::sqrt(static_cast<float>(n_one));
  const float of_sum = 1 / std::sqrt(2.0F);
  s.for_each_token([&](int t, int worker) {
    float* inputs = s.buffers.per_layer() + t * n_all;
    float* embedding = s.buffers.worker(worker);
    s.look_up(s.weights.per_layer_token_embd, s.tokens[static_cast<std::size_t>(t)], embedding);
    for (std::int64_t i = 0; i < n_all; ++i) inputs[i] *= of_projection;
    for (std::int64_t i = 0; i < n_all; i += n_one) {
      s.kernel.rms_norm(inputs + i, s.weights.per_layer_proj_norm, n_one, s.hp.norm_eps,
                        inputs + i);
    }
    for (std::int64_t i = 0; i < n_all; ++i) {
      inputs[i] = (inputs[i] + embedding[i] * of_embedding) * of_sum;
    }
  });
}

// Regions: y = proj (gelu(gate x) * input of this layer).
void add_per_layer_input(ForwardState& s, const LayerPlan& layer) noexcept {
  const LayerWeights& w = layer.weights;
  const std::int64_t n_one = s.hp.n_embd_per_layer;
  const std::int64_t n_all = n_one * s.hp.n_layer;
  assert(w.per_layer_gate.n_rows == n_one && w.per_layer_gate.rows.n_cols == s.hp.n_embd);
  s.pack_normed(layer.per_layer_input, formats_of({&w.per_layer_gate}, s.options.exact));
  s.for_each_slice(n_one, [&](std::int64_t row0, std::int64_t n_rows, int) {
    float* gate = s.buffers.hidden() + row0;
    const float* input = s.buffers.per_layer() + layer.il * n_one + row0;
    s.project(w.per_layer_gate, row0, n_rows, gate, n_one);
    for (int t = 0; t < s.n; ++t) {
      s.kernel.gelu_mul(gate + t * n_one, input + t * n_all, n_rows, gate + t * n_one);
    }
  });
  s.pack_rows(s.buffers.hidden(), static_cast<int>(n_one), w.per_layer_proj);
  s.add_projection(w.per_layer_proj, Residual::When::before_norm);
}

struct RowBuffer {
  float* data;
  std::int64_t n_row;  // floats
};

// Drops all tokens of the run except those whose logits are wanted.
void keep_wanted(ForwardState& s, std::initializer_list<RowBuffer> buffers) noexcept {
  int n_kept = 0;
  for (RunPart& part : s.parts) {
    const int n = part.wanted == LogitsOf::none         ? 0
                  : part.wanted == LogitsOf::last_token ? 1
                                                        : part.n;
    const int from = part.first + part.n - n;
    for (const RowBuffer& rows : buffers)
      std::copy_n(rows.data + from * rows.n_row, n * rows.n_row, rows.data + n_kept * rows.n_row);
    std::copy_n(s.places.begin() + from, n, s.places.begin() + n_kept);
    part.pos += part.n - n;
    part.first = n_kept;
    part.n = n;
    n_kept += n;
  }
  s.n = n_kept;
}

// Attention or its replacement (latent attention, a delta net), up to but without the output
// projection. Returns the rows of the remaining tokens, or nullptr if no token remains. In the last
// layer, once the cache holds all tokens, only those whose logits are wanted remain; a model with a
// draft head keeps all, because the head reads them.
const float* attend(ForwardState& s, const LayerPlan& layer) noexcept {
  const bool is_last = layer.il == s.hp.n_layer - 1 && !s.plan.nextn;
  const RowBuffer x{s.buffers.x(), s.hp.n_embd};
  const RowBuffer inputs{s.buffers.per_layer(), std::int64_t{s.hp.n_layer} * s.hp.n_embd_per_layer};
  if (layer.mixer == Mixer::delta_net) {
    delta_net(s, layer);
    if (is_last) keep_wanted(s, {x, inputs, {s.buffers.att(), layer.mixer_out.rows.n_cols}});
    return s.n > 0 ? s.buffers.att() : nullptr;
  }
  const bool latent = layer.mixer == Mixer::latent_attention;
  latent ? latent_query_key(s, layer) : query_key_value(s, layer);
  if (is_last) {
    const std::int64_t n_q = std::int64_t{layer.shape.n_head} * layer.shape.head_dim_k;
    keep_wanted(s, {x, inputs, {s.buffers.q(), n_q}, {s.buffers.gate(), s.hp.attn_gate ? n_q : 0}});
  }
  if (s.n == 0) return nullptr;
  attention(s, layer);
  if (!latent) return s.buffers.att();
  latent_values(s, layer);
  return s.buffers.q();
}

// One decoder layer: updates x [n, n_embd] in place and appends the tokens' rows to layer il of the
// caches.
void run_layer(ForwardState& s, const LayerPlan& layer) noexcept {
  const float* attended = attend(s, layer);
  if (attended == nullptr) return;
  s.pack_rows(attended, static_cast<int>(layer.mixer_out.rows.n_cols), layer.mixer_out);
  s.add_projection(layer.mixer_out, layer.mixer_residual.when);
  feed_forward(s, layer);
  if (layer.has_per_layer_input) add_per_layer_input(s, layer);
  if (layer.x_scale != nullptr) s.scale_stream(*layer.x_scale);
}

// Region: logits = output buffers.normed().
void output_rows(ForwardState& s, const Matrix& output) noexcept {
  assert(s.n <= s.options.n_logits);
  if (s.n == 0 || output.n_rows == 0) return;
  s.pack_rows(s.buffers.normed(), s.hp.n_embd, output);
  s.for_each_slice(s.hp.n_vocab, [&](std::int64_t row0, std::int64_t n_rows, int) {
    float* logits = s.buffers.logits() + row0;
    s.project(output, row0, n_rows, logits, s.hp.n_vocab);
    for (int t = 0; t < s.n; ++t, logits += s.hp.n_vocab) {
      if (s.hp.logit_scale != 1) {
        for (std::int64_t i = 0; i < n_rows; ++i) logits[i] *= s.hp.logit_scale;
      }
      if (s.hp.logit_softcap > 0) s.kernel.soft_cap(logits, n_rows, s.hp.logit_softcap);
    }
  });
}

// The model's own draft head, which guesses the token after the next (DeepSeek-V3,
// arXiv:2412.19437, section 2.2). It is a block with its own keys and values for each token. It
// reads the token's embedding and the input of the output matrix for the token before.
//
// Packs [enorm(embedding) | hnorm(before)] as row t. `before` is nullptr if unknown; zeros then
// take its place.
void pack_pair(ForwardState& s, int t, const float* before, float* row,
               ActFormats formats) noexcept {
  const NextnWeights& w = s.weights.nextn;
  const int n_embd = s.hp.n_embd;
  s.embedding_row(w.embed_tokens, t, row);
  s.norm_row(row, w.enorm, row);
  if (before != nullptr) {
    s.norm_row(before, w.hnorm, row + n_embd);
  } else {
    std::fill_n(row + n_embd, n_embd, 0.0F);
  }
  s.pack(row, 2 * n_embd, t, formats);
}

// Regions: buffers.x() = what the block reads for each token. The first token of a part uses
// RunPart::before.
void nextn_input(ForwardState& s) noexcept {
  const Matrix& m = s.weights.nextn.eh_proj;
  const ActFormats formats = formats_of({&m}, s.options.exact);
  for (const RunPart& part : s.parts) {
    pack_pair(s, part.first, part.before, s.buffers.worker(0), formats);
    s.pool.parallel_for(part.n - 1, [&](int i, int worker) {
      const float* before = s.buffers.normed() + std::int64_t{part.first + i} * s.hp.n_embd;
      pack_pair(s, part.first + i + 1, before, s.buffers.worker(worker), formats);
    });
  }
  s.for_each_slice(m.n_rows, [&](std::int64_t row0, std::int64_t n_rows, int) {
    s.project(m, row0, n_rows, s.buffers.x() + row0, s.hp.n_embd);
  });
}

// Regions: appends the block's keys and values for all tokens of the run. Reads their rows from
// buffers.normed() and overwrites buffers.x().
void nextn_keys(ForwardState& s) noexcept {
  nextn_input(s);
  const LayerPlan& layer = s.plan.nextn->layer;
  layer.mixer == Mixer::latent_attention ? latent_key(s, layer) : key_value(s, layer);
}

// Appends the keys and values of all tokens to the head's block, and saves the rows that later
// calls of the head continue from.
void remember_for_head(ForwardState& s) noexcept {
  for (RunPart& part : s.parts) part.before = part.cache->outputs().row(part.pos - 1);
  nextn_keys(s);
  const auto n_embd = static_cast<std::size_t>(s.hp.n_embd);
  for (const RunPart& part : s.parts) {
    const float* rows = s.buffers.normed() + static_cast<std::size_t>(part.first) * n_embd;
    part.cache->outputs().set(part.pos, {rows, static_cast<std::size_t>(part.n) * n_embd});
  }
}

// Lays out the rows of a run in the order of its sequences. Throws as KvCache::make_room() does.
void begin_run(ForwardState& s, std::span<const SequenceTokens> sequences) {
  s.parts.clear();
  s.places.clear();
  s.tokens.clear();
  for (const auto& [cache, tokens, wanted] : sequences) {
    const auto n = static_cast<int>(tokens.size());
    assert(n >= 1 && n <= cache->n_ctx() - cache->n_tokens());
    cache->make_room(n);
    const int first = static_cast<int>(s.places.size());
    const bool in_flight =
        wanted == LogitsOf::all_tokens && cache->recurrent().may_stay_in_flight(n);
    s.parts.push_back({cache, wanted, n, first, n, cache->n_tokens(), in_flight});
    for (int t = 0; t < n; ++t) s.places.push_back({cache, cache->n_tokens() + t});
    s.tokens.insert(s.tokens.end(), tokens.begin(), tokens.end());
  }
  for (const RunPart& part : s.parts) part.cache->recurrent().settle();
  s.n = static_cast<int>(s.places.size());
  assert(s.n >= 1 && s.n <= s.options.n_batch);
}

}  // namespace

Forward::Forward(ModelView model, const kernels::KernelTable& table, kernels::ThreadPool& pool,
                 int n_ctx, Options options) {
  const Plan plan(model.hparams, model.weights);
  assert(misfit(plan).empty());
  state_.reset(
      new ForwardState{.hp = model.hparams,
                       .weights = model.weights,
                       .plan = plan,
                       .kernel = table,
                       .pool = pool,
                       .options = options,
                       .ropes = make_ropes(model.hparams, model.weights, n_ctx),
                       .buffers = ForwardBuffers(plan, sizes_of(pool.n_threads(), options))});
  const auto n_batch = static_cast<std::size_t>(options.n_batch);
  state_->parts.reserve(n_batch);
  state_->places.reserve(n_batch);
  state_->tokens.reserve(n_batch);
}

Forward::~Forward() = default;

bool Forward::can_stop() const noexcept {
  return !state_->hp.has_recurrent_layers();
}

bool Forward::run(std::span<const SequenceTokens> sequences,
                  kernels::FunctionRef<bool(int)> go_on) {
  ForwardState& s = *state_;
  begin_run(s, sequences);
  embed(s);
  if (s.hp.n_embd_per_layer > 0) per_layer_inputs(s);
  for (const LayerPlan& layer : s.plan.layers) {
    if (layer.il > 0 && !go_on(layer.il)) return false;
    run_layer(s, layer);
  }
  if (s.n > 0) s.norm_stream(s.plan.output_input);
  if (s.plan.nextn) {
    remember_for_head(s);
    keep_wanted(s, {{s.buffers.normed(), s.hp.n_embd}});
  }
  for (const RunPart& part : s.parts) part.cache->commit(part.n_tokens, part.in_flight);
  output_rows(s, s.weights.output);
  return true;
}

std::span<const float> Forward::guess(KvCache& cache, Token token, int n_ahead) {
  ForwardState& s = *state_;
  assert(s.plan.nextn);
  cache.make_room(n_ahead + 1);
  const int pos = cache.n_tokens() + n_ahead;
  const float* before = n_ahead == 0 ? cache.outputs().row(pos - 1) : s.buffers.normed();
  s.parts.assign({{.cache = &cache,
                   .wanted = LogitsOf::last_token,
                   .n_tokens = 1,
                   .first = 0,
                   .n = 1,
                   .pos = pos,
                   .before = before}});
  s.places.assign({{&cache, pos}});
  s.tokens.assign({token});
  s.n = 1;
  find_angles(s, 0);
  nextn_input(s);
  run_layer(s, s.plan.nextn->layer);
  s.norm_stream(s.plan.nextn->output_input);
  output_rows(s, s.weights.nextn.shared_head_head);
  return logits();
}

void Forward::give_back() noexcept {
  state_->buffers.give_back();
}

std::span<const float> Forward::logits(std::size_t i) const noexcept {
  const RunPart& part = state_->parts[i];
  const auto n_vocab = static_cast<std::size_t>(state_->hp.n_vocab);
  return {state_->buffers.logits() + static_cast<std::size_t>(part.first) * n_vocab,
          static_cast<std::size_t>(part.n) * n_vocab};
}

std::span<const float> Forward::hidden(std::size_t i) const noexcept {
  const RunPart& part = state_->parts[i];
  const auto n_embd = static_cast<std::size_t>(state_->hp.n_embd);
  return {state_->buffers.normed() + static_cast<std::size_t>(part.first) * n_embd,
          static_cast<std::size_t>(part.n) * n_embd};
}

std::span<const float> Forward::run(KvCache& cache, std::span<const Token> tokens,
                                    LogitsOf wanted) {
  const SequenceTokens sequence{&cache, tokens, wanted};
  run({&sequence, 1}, [](int) { return true; });
  return logits();
}

std::size_t Forward::scratch_bytes(ModelView model, int n_threads, Options options) {
  return ForwardBuffers::bytes(Plan(model.hparams, model.weights), sizes_of(n_threads, options));
}

}  // namespace confab::engine
