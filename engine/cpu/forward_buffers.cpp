// SPDX-License-Identifier: MIT
#include "engine/cpu/forward_buffers.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <new>

#include "engine/model/hparams.h"
#include "kernels/attention_tile.h"

namespace confab::engine {
namespace {

using kernels::ActFormat;

constexpr std::size_t kLine = 64;

constexpr std::size_t whole_lines(std::size_t n_bytes) noexcept {
  return (n_bytes + kLine - 1) / kLine * kLine;
}

// Hands out offsets, each at the start of a cache line.
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

// Values of a row of the queries, keys and heads' outputs of a layer.
std::int64_t n_queries(const LayerHparams& l) noexcept {
  return std::int64_t{l.n_head} * l.head_dim_k;
}
std::int64_t n_keys(const LayerHparams& l) noexcept {
  return std::int64_t{l.n_head_kv} * l.head_dim_k;
}
std::int64_t n_attended(const LayerHparams& l) noexcept {
  return std::int64_t{l.n_head} * l.head_dim_v;
}
// Query heads of a KV head that attention takes together, and how many such groups there are.
int n_group(const LayerHparams& l) noexcept {
  return std::min(l.n_head / l.n_head_kv, kernels::kAttentionGroup);
}
std::int64_t n_groups(const LayerHparams& l) noexcept {
  const int n_shared = l.n_head / l.n_head_kv;
  return l.n_head_kv * ((n_shared - 1) / kernels::kAttentionGroup + 1);
}
// Of the partial results of one group.
std::int64_t partial_floats(const LayerHparams& l) noexcept {
  if (l.recurrent) return 0;
  return static_cast<std::int64_t>(kernels::kAttentionSlices *
                                   kernels::attention_partial_floats(n_group(l), l.head_dim_v));
}
// Values of a row of what attention or a delta net gives.
std::int64_t longest_output(const Hparams& hp) noexcept {
  const std::int64_t n_inner = std::int64_t{hp.delta_net.n_v_heads} * hp.delta_net.d_state;
  return std::max(hp.largest(n_attended), n_inner);
}
// Of the hidden layer of a token: of all experts that it uses.
std::int64_t n_hidden(const Hparams& hp) noexcept {
  const ExpertHparams& e = hp.experts;
  const std::int64_t dense = hp.largest([](const LayerHparams& l) { return l.n_ff; });
  return std::max(dense, std::int64_t{e.n_expert_used} * e.n_ff + e.n_ff_shared);
}

std::int64_t n_per_layer(const Hparams& hp) noexcept {
  return std::int64_t{hp.n_layer} * hp.n_embd_per_layer;
}
std::int64_t longest_hidden(const Hparams& hp) noexcept {
  return std::max<std::int64_t>(n_hidden(hp), hp.n_embd_per_layer);
}

// What latent attention makes of the heads' outputs (latent_regions.cpp).
std::int64_t n_latent_values(const Hparams& hp) noexcept {
  return hp.latent.head_dim_v *
         hp.largest([](const LayerHparams& l) { return std::int64_t{l.n_head}; });
}

// The longest row that is packed: of the residual stream, of the heads' outputs, of the hidden
// layer, of a latent.
std::int64_t longest_row(const Hparams& hp) noexcept {
  return std::max<std::int64_t>(
      {hp.n_embd, longest_hidden(hp), longest_output(hp), n_latent_values(hp), hp.latent.q_rank});
}

// A head's queries and what is packed of them, or packed latents, for each token; a row of K_b.
std::int64_t latent_scratch(const Hparams& hp, int n_batch) noexcept {
  const LatentHparams& latent = hp.latent;
  const int query = 2 * latent.head_dim_nope + hp.ropes[0].n_rot;
  return std::int64_t{n_batch} * std::max(query, latent.kv_rank) + latent.kv_rank;
}

std::size_t packed_bytes(const Hparams& hp, const ForwardSizes& sizes, ActFormat format) noexcept {
  if (!sizes.packed.has(format)) return 0;
  // Rows that q8 cannot hold, being no multiple of its block, belong to no quantised matrix.
  const std::int64_t n = (longest_row(hp) + 31) / 32 * 32;
  return static_cast<std::size_t>(sizes.n_batch) * kernels::act_row_bytes(format, n);
}

std::size_t worker_bytes(const Hparams& hp, const ForwardSizes& sizes) noexcept {
  const std::int64_t slice = hp.largest([](const LayerHparams& l) {
    return std::int64_t{std::max({kMaxSliceRows, l.head_dim_k, l.head_dim_v})};
  });
  const std::int64_t attention = hp.largest([](const LayerHparams& l) -> std::int64_t {
    if (l.recurrent) return 0;
    return static_cast<std::int64_t>(
        kernels::attention_scratch_floats(n_group(l), l.head_dim_k, l.head_dim_v));
  });
  const std::int64_t latent = hp.latent.kv_rank > 0 ? latent_scratch(hp, sizes.n_batch) : 0;
  const std::int64_t gathered =
      hp.experts.n_expert > 0 ? kGatherTokens * (kMaxSliceRows + std::int64_t{hp.n_embd}) : 0;
  const auto floats =
      std::max<std::int64_t>({slice * sizes.n_batch, hp.n_embd, n_per_layer(hp), attention, latent,
                              2 * std::int64_t{hp.delta_net.d_state}, gathered});
  return whole_lines(static_cast<std::size_t>(floats) * sizeof(float));
}

}  // namespace

ForwardBuffers::Layout ForwardBuffers::lay_out(const Hparams& hp, const ForwardSizes& sizes) {
  Offsets offsets;
  Layout at{};
  at.x = offsets.floats(sizes.n_batch, hp.n_embd);
  const bool has_key_rows = hp.qk_norm == QkNorm::row || hp.latent.kv_rank > 0;
  at.q = offsets.floats(sizes.n_batch, std::max(hp.largest(n_queries), n_latent_values(hp)));
  at.k = offsets.floats(sizes.n_batch, has_key_rows ? hp.largest(n_keys) : 0);
  at.q_latent = offsets.floats(sizes.n_batch, hp.latent.q_rank);
  at.att = offsets.floats(sizes.n_batch, longest_output(hp));
  at.partial_bytes = static_cast<std::size_t>(hp.largest(partial_floats)) * sizeof(float);
  at.partials = offsets.take(at.partial_bytes * static_cast<std::size_t>(hp.largest([](auto& l) {
                               return l.recurrent ? 0 : n_groups(l);
                             })));
  at.mixed = offsets.floats(sizes.n_batch, hp.delta_net.n_channels());
  at.beta_alpha = offsets.floats(sizes.n_batch, 2 * hp.delta_net.n_v_heads);
  at.gate = offsets.floats(sizes.n_batch,
                           hp.attn_gate || hp.has_recurrent_layers() ? longest_output(hp) : 0);
  at.y = offsets.floats(sizes.n_batch, hp.post_norms || hp.parallel ? hp.n_embd : 0);
  at.beside = offsets.floats(sizes.n_batch, hp.experts.beside_plain ? hp.n_embd : 0);
  at.per_layer = offsets.floats(sizes.n_batch, n_per_layer(hp));
  at.hidden = offsets.floats(sizes.n_batch, longest_hidden(hp));
  const auto n_expert = static_cast<std::size_t>(hp.experts.n_expert);
  const std::size_t n_chosen =
      static_cast<std::size_t>(sizes.n_batch) * static_cast<std::size_t>(hp.experts.n_expert_used);
  at.router_logits = offsets.floats(sizes.n_batch, n_expert > 0 ? hp.experts.n_expert + 1 : 0);
  at.chosen = offsets.take(n_chosen * sizeof(ChosenExpert));
  at.expert_rows = offsets.take(n_chosen * sizeof(ExpertRow));
  at.expert_groups = offsets.take(n_expert * sizeof(ExpertGroup));
  at.logits = offsets.floats(sizes.n_logits, hp.n_vocab);
  int n_rot = 0;
  for (const RopeHparams& rope : hp.ropes) n_rot = std::max(n_rot, rope.n_rot);
  at.rope_bytes =
      whole_lines(static_cast<std::size_t>(sizes.n_batch * (n_rot / 2)) * sizeof(float));
  at.cosines = offsets.take(at.rope_bytes * hp.ropes.size());
  at.sines = offsets.take(at.rope_bytes * hp.ropes.size());
  at.packed_f32 = offsets.take(packed_bytes(hp, sizes, ActFormat::f32));
  at.packed_q8 = offsets.take(packed_bytes(hp, sizes, ActFormat::q8));
  at.packed_bf16 = offsets.take(packed_bytes(hp, sizes, ActFormat::bf16));
  at.worker_bytes = worker_bytes(hp, sizes);
  at.workers = offsets.take(at.worker_bytes * static_cast<std::size_t>(sizes.n_threads));
  at.total = offsets.end();
  return at;
}

std::size_t ForwardBuffers::bytes(const Hparams& hparams, const ForwardSizes& sizes) {
  return lay_out(hparams, sizes).total;
}

ForwardBuffers::ForwardBuffers(const Hparams& hparams, const ForwardSizes& sizes)
    : at_(lay_out(hparams, sizes)),
      sizes_(sizes),
      memory_(static_cast<std::byte*>(::operator new (at_.total, std::align_val_t{kLine}))) {}

ForwardBuffers::~ForwardBuffers() {
  ::operator delete (memory_, std::align_val_t{kLine});
}

std::byte* ForwardBuffers::packed(ActFormat format) const noexcept {
  if (!sizes_.packed.has(format)) return nullptr;
  switch (format) {
    case ActFormat::f32:
      return memory_ + at_.packed_f32;
    case ActFormat::q8:
      return memory_ + at_.packed_q8;
    case ActFormat::bf16:
      return memory_ + at_.packed_bf16;
  }
  return nullptr;
}

float* ForwardBuffers::worker(int i) const noexcept {
  assert(i >= 0 && i < sizes_.n_threads);
  return floats(at_.workers + at_.worker_bytes * static_cast<std::size_t>(i));
}

}  // namespace confab::engine
