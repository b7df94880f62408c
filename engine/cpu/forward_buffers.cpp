// SPDX-License-Identifier: MIT
#include "engine/cpu/forward_buffers.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <new>

#include "engine/model/hparams.h"
#include "engine/model/layer_plan.h"
#include "engine/model/products.h"
#include "engine/platform/mapped_range.h"
#include "kernels/attention_tile.h"

namespace confab::engine {
namespace {

using kernels::ActFormat;

constexpr std::size_t kLine = 64;

constexpr std::size_t whole_lines(std::size_t n_bytes) noexcept {
  return (n_bytes + kLine - 1) / kLine * kLine;
}

// Hands out offsets, each aligned to a cache line.
class Offsets {
 public:
  std::size_t take(std::size_t n_bytes) noexcept {
    const std::size_t offset = end_;
    end_ += whole_lines(n_bytes);
    return offset;
  }
  std::size_t floats(std::int64_t n_rows, std::int64_t n) noexcept {
    return take(static_cast<std::size_t>(n_rows * n) * sizeof(float));
  }
  std::size_t end() const noexcept { return end_; }

 private:
  std::size_t end_ = 0;
};

// For each buffer, the most values per token that any layer needs.
struct Needs {
  std::int64_t q = 0, k = 0, q_latent = 0, att = 0, gate = 0, mixed = 0, beta_alpha = 0;
  std::int64_t y = 0, beside = 0, per_layer = 0, hidden = 0;
  // attention: values of a partial result, number of groups of heads
  std::int64_t partial = 0, n_groups = 0;
  std::int64_t n_expert = 0, n_expert_used = 0;
  // A worker needs max(worker, n_batch * worker_of_tokens + worker_beside) floats.
  std::int64_t worker = 0, worker_of_tokens = 0, worker_beside = 0;
  std::int64_t n_angles = 0;  // for one rotation

  std::size_t worker_bytes(int n_batch) const noexcept {
    const std::int64_t n = std::max(worker, n_batch * worker_of_tokens + worker_beside);
    return static_cast<std::size_t>(n) * sizeof(float);
  }
};

void raise(std::int64_t& most, std::int64_t n) noexcept {
  most = std::max(most, n);
}

class NeedsOfLayers {
 public:
  explicit NeedsOfLayers(const Plan& plan) noexcept : hp_(plan.hparams) {
    raise(needs_.worker_of_tokens, kMaxSliceRows);
    raise(needs_.worker, hp_.n_embd);
    raise(needs_.per_layer, std::int64_t{hp_.n_layer} * hp_.n_embd_per_layer);
    raise(needs_.worker, needs_.per_layer);
    for (const RopeHparams& rope : hp_.ropes) raise(needs_.n_angles, rope.n_rot / 2);
    for (const LayerPlan& layer : plan.layers) add(layer);
    if (!plan.nextn) return;
    add(plan.nextn->layer);
    raise(needs_.worker, 2 * std::int64_t{hp_.n_embd});
  }

  const Needs& needs() const noexcept { return needs_; }

 private:
  void add(const LayerPlan& layer) noexcept {
    layer.mixer == Mixer::delta_net ? add_delta_net() : add_attention(layer.shape);
    if (layer.mixer == Mixer::latent_attention) add_latent(layer.shape);
    if (layer.feed_forward != FeedForward::experts) raise(needs_.hidden, layer.shape.n_ff);
    if (layer.feed_forward != FeedForward::dense) add_experts();
    const bool beside = layer.feed_forward == FeedForward::experts_beside_dense;
    if (beside) raise(needs_.beside, hp_.n_embd);
    if (layer.has_per_layer_input) raise(needs_.hidden, hp_.n_embd_per_layer);
    if (beside || layer.has_per_layer_input || waits(layer.mixer_residual) ||
        waits(layer.feed_forward_residual)) {
      raise(needs_.y, hp_.n_embd);
    }
  }

  static bool waits(const Residual& residual) noexcept {
    return residual.when != Residual::When::at_once;
  }

  void add_attention(const LayerHparams& l) noexcept {
    const int n_shared = l.n_head / l.n_head_kv;
    const int n_group = std::min(n_shared, kernels::kAttentionGroup);
    raise(needs_.q, std::int64_t{l.n_head} * l.head_dim_k);
    raise(needs_.att, std::int64_t{l.n_head} * l.head_dim_v);
    if (hp_.attn_gate) raise(needs_.gate, std::int64_t{l.n_head} * l.head_dim_v);
    if (hp_.qk_norm == QkNorm::row) raise(needs_.k, std::int64_t{l.n_head_kv} * l.head_dim_k);
    raise(needs_.n_groups, l.n_head_kv * ((n_shared - 1) / kernels::kAttentionGroup + 1));
    raise(needs_.partial,
          static_cast<std::int64_t>(kernels::kAttentionSlices *
                                    kernels::attention_partial_floats(n_group, l.head_dim_v)));
    raise(needs_.worker_of_tokens, std::max(l.head_dim_k, l.head_dim_v));
    raise(needs_.worker, static_cast<std::int64_t>(kernels::attention_scratch_floats(
                             n_group, l.head_dim_k, l.head_dim_v)));
  }

  // The heads' outputs are written over the queries. A worker holds either one head's queries and
  // their packed copy or packed latents, plus one row of K_b.
  void add_latent(const LayerHparams& l) noexcept {
    const LatentHparams& latent = hp_.latent;
    raise(needs_.q, std::int64_t{l.n_head} * latent.head_dim_v);
    raise(needs_.k, l.head_dim_k);
    raise(needs_.q_latent, latent.q_rank);
    const int query = 2 * latent.head_dim_nope + hp_.ropes[0].n_rot;
    raise(needs_.worker_of_tokens, std::max(query, latent.kv_rank));
    raise(needs_.worker_beside, latent.kv_rank);
  }

  void add_delta_net() noexcept {
    const DeltaNetHparams& net = hp_.delta_net;
    const std::int64_t n_inner = std::int64_t{net.n_v_heads} * net.d_state;
    raise(needs_.att, n_inner);
    raise(needs_.gate, n_inner);
    raise(needs_.mixed, net.n_channels());
    raise(needs_.beta_alpha, 2 * std::int64_t{net.n_v_heads});
    // a query, a key, and an output that nobody wants
    raise(needs_.worker, 3 * std::int64_t{net.d_state});
  }

  void add_experts() noexcept {
    const ExpertHparams& e = hp_.experts;
    raise(needs_.hidden, std::int64_t{e.n_expert_used} * e.n_ff + e.n_ff_shared);
    raise(needs_.n_expert, e.n_expert);
    raise(needs_.n_expert_used, e.n_expert_used);
    raise(needs_.worker, kGatherTokens * (kMaxSliceRows + std::int64_t{hp_.n_embd}));
  }

  const Hparams& hp_;
  Needs needs_;
};

// Packed bytes per token, indexed by format.
struct PackedBytes {
  ActFormats formats;
  std::array<std::size_t, 3> of{};
};

PackedBytes packed_bytes(const Plan& plan, bool exact) {
  PackedBytes bytes;
  for_each_product(plan, [&](const Product& product) {
    if (product.n_packed == 0 || product.matrix.n_rows == 0) return;
    const ActFormat format = kernels::act_format(product.matrix.rows.dtype, exact);
    // q8 cannot hold rows that are not a multiple of its block, but no quantised matrix reads such
    // rows.
    const std::int64_t n = (product.n_packed + 31) / 32 * 32;
    std::size_t& most = bytes.of[static_cast<std::size_t>(format)];
    most = std::max(most, kernels::act_row_bytes(format, n));
    bytes.formats.add(format);
  });
  return bytes;
}

}  // namespace

ForwardBuffers::Layout ForwardBuffers::lay_out(const Plan& plan, const ForwardSizes& sizes) {
  const Hparams& hp = plan.hparams;
  const Needs needs = NeedsOfLayers(plan).needs();
  const auto n_batch = static_cast<std::size_t>(sizes.n_batch);
  Offsets offsets;
  const auto of_tokens = [&](std::int64_t n) { return offsets.floats(sizes.n_batch, n); };
  Layout at{};
  at.x = of_tokens(hp.n_embd);
  at.q = of_tokens(needs.q);
  at.k = of_tokens(needs.k);
  at.q_latent = of_tokens(needs.q_latent);
  at.att = of_tokens(needs.att);
  at.partial_bytes = static_cast<std::size_t>(needs.partial) * sizeof(float);
  at.partials = offsets.take(at.partial_bytes * static_cast<std::size_t>(needs.n_groups));
  at.mixed = of_tokens(needs.mixed);
  at.beta_alpha = of_tokens(needs.beta_alpha);
  at.gate = of_tokens(needs.gate);
  at.y = of_tokens(needs.y);
  at.beside = of_tokens(needs.beside);
  at.per_layer = of_tokens(needs.per_layer);
  at.hidden = of_tokens(needs.hidden);
  at.normed = offsets.floats(plan.nextn ? sizes.n_batch : sizes.n_logits, hp.n_embd);
  const std::size_t n_chosen = n_batch * static_cast<std::size_t>(needs.n_expert_used);
  at.router_logits = of_tokens(needs.n_expert > 0 ? needs.n_expert + 1 : 0);
  at.chosen = offsets.take(n_chosen * sizeof(ChosenExpert));
  at.expert_rows = offsets.take(n_chosen * sizeof(ExpertRow));
  at.expert_groups = offsets.take(static_cast<std::size_t>(needs.n_expert) * sizeof(ExpertGroup));
  at.logits = offsets.floats(sizes.n_logits, plan.weights.output.n_rows);
  at.rope_bytes = whole_lines(n_batch * static_cast<std::size_t>(needs.n_angles) * sizeof(float));
  at.cosines = offsets.take(at.rope_bytes * hp.ropes.size());
  at.sines = offsets.take(at.rope_bytes * hp.ropes.size());
  const PackedBytes packed = packed_bytes(plan, sizes.exact);
  at.formats = packed.formats;
  std::ranges::transform(packed.of, at.packed.begin(),
                         [&](std::size_t of_token) { return offsets.take(n_batch * of_token); });
  at.worker_bytes = whole_lines(needs.worker_bytes(sizes.n_batch));
  at.workers = offsets.take(at.worker_bytes * static_cast<std::size_t>(sizes.n_threads));
  at.total = offsets.end();
  return at;
}

std::size_t ForwardBuffers::bytes(const Plan& plan, const ForwardSizes& sizes) {
  return lay_out(plan, sizes).total;
}

ForwardBuffers::ForwardBuffers(const Plan& plan, const ForwardSizes& sizes)
    : at_(lay_out(plan, sizes)),
      sizes_(sizes),
      memory_(static_cast<std::byte*>(::operator new (at_.total, std::align_val_t{kLine}))) {}

void ForwardBuffers::give_back() noexcept {
  platform::give_back({memory_, at_.total});
}

ForwardBuffers::~ForwardBuffers() {
  ::operator delete (memory_, std::align_val_t{kLine});
}

std::byte* ForwardBuffers::packed(ActFormat format) const noexcept {
  if (!at_.formats.has(format)) return nullptr;
  return memory_ + at_.packed[static_cast<std::size_t>(format)];
}

float* ForwardBuffers::worker(int i) const noexcept {
  assert(i >= 0 && i < sizes_.n_threads);
  return floats(at_.workers + at_.worker_bytes * static_cast<std::size_t>(i));
}

}  // namespace confab::engine
