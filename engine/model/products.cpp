// SPDX-License-Identifier: MIT
#include "engine/model/products.h"

#include <fmt/format.h>

#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

using Visit = kernels::FunctionRef<void(const Product&)>;

// The products of one layer, or, with il = -1, the products outside the layers.
class Walk {
 public:
  Walk(const Plan& plan, int il, Visit visit) : hp_(plan.hparams), il_(il), visit_(visit) {}

  void layer(const LayerPlan& layer) const {
    switch (layer.mixer) {
      case Mixer::attention:
        attention(layer);
        break;
      case Mixer::latent_attention:
        latent_attention(layer);
        break;
      case Mixer::delta_net:
        delta_net(layer.weights.delta_net);
        break;
    }
    if (layer.feed_forward != FeedForward::experts) dense(layer);
    if (layer.feed_forward != FeedForward::dense) experts(layer.weights.experts);
    if (!layer.has_per_layer_input) return;
    packed("inp_gate", layer.weights.per_layer_gate, hp_.n_embd_per_layer, hp_.n_embd);
    packed("proj", layer.weights.per_layer_proj, hp_.n_embd, hp_.n_embd_per_layer);
  }

  void before_layers(const Weights& w) const {
    if (w.token_embd.n_rows > 0) looked_up("token_embd", w.token_embd, hp_.n_vocab, hp_.n_embd);
    if (hp_.n_embd_per_layer == 0) return;
    const std::int64_t n_all = std::int64_t{hp_.n_layer} * hp_.n_embd_per_layer;
    looked_up("per_layer_token_embd", w.per_layer_token_embd, hp_.n_vocab, n_all);
    packed("per_layer_model_proj", w.per_layer_model_proj, n_all, hp_.n_embd);
  }

  void after_layers(const Weights& w) const {
    if (w.output.n_rows > 0) packed("output", w.output, hp_.n_vocab, hp_.n_embd);
  }

  void nextn(const Weights& weights) const {
    const NextnWeights& w = weights.nextn;
    looked_up("nextn.embed_tokens", w.embed_tokens, hp_.n_vocab, hp_.n_embd);
    packed("nextn.eh_proj", w.eh_proj, hp_.n_embd, 2 * std::int64_t{hp_.n_embd});
    packed("nextn.shared_head_head", w.shared_head_head, hp_.n_vocab, hp_.n_embd);
  }

 private:
  void packed(std::string_view name, const Matrix& m, std::int64_t n_rows,
              std::int64_t n_cols) const {
    visit_({il_, name, m, n_rows, n_cols, n_cols});
  }
  void looked_up(std::string_view name, const Matrix& m, std::int64_t n_rows,
                 std::int64_t n_cols) const {
    visit_({il_, name, m, n_rows, n_cols, 0});
  }

  void attention(const LayerPlan& layer) const {
    const LayerWeights& w = layer.weights;
    const std::int64_t dim_k = layer.shape.head_dim_k, dim_v = layer.shape.head_dim_v;
    const std::int64_t n_head = layer.shape.n_head, n_head_kv = layer.shape.n_head_kv;
    packed("attn_q", w.attn_q, n_head * dim_k * (hp_.attn_gate ? 2 : 1), hp_.n_embd);
    if (layer.has_own_keys()) {
      packed("attn_k", w.attn_k, n_head_kv * dim_k, hp_.n_embd);
      packed("attn_v", w.attn_v, n_head_kv * dim_v, hp_.n_embd);
    }
    packed("attn_output", w.attn_output, hp_.n_embd, n_head * dim_v);
  }

  void latent_attention(const LayerPlan& layer) const {
    const LatentHparams& sizes = hp_.latent;
    const LatentWeights& l = layer.weights.latent;
    const std::int64_t n_head = layer.shape.n_head, rank = sizes.kv_rank;
    const std::int64_t nope = sizes.head_dim_nope, dim_v = sizes.head_dim_v;
    packed("attn_kv_a_mqa", l.kv_a, layer.shape.head_dim_k, hp_.n_embd);
    if (sizes.q_rank > 0) packed("attn_q_a", l.q_a, sizes.q_rank, hp_.n_embd);
    packed("attn_q", layer.weights.attn_q, n_head * (nope + hp_.ropes[0].n_rot),
           sizes.q_rank > 0 ? sizes.q_rank : hp_.n_embd);
    for (const Matrix& k_b : l.k_b) {
      looked_up("attn_k_b", k_b, l.k_b_transposed ? nope : rank, l.k_b_transposed ? rank : nope);
    }
    for (const Matrix& v_b : l.v_b) looked_up("attn_v_b", v_b, dim_v, rank);
    packed("attn_output", layer.weights.attn_output, hp_.n_embd, n_head * dim_v);
  }

  void delta_net(const DeltaNetWeights& w) const {
    const DeltaNetHparams& net = hp_.delta_net;
    const std::int64_t n_inner = std::int64_t{net.n_v_heads} * net.d_state;
    const bool both = w.alpha.n_rows == 0, with_z = w.z.n_rows == 0;
    packed(with_z ? "ssm_in" : "attn_qkv", w.qkv, net.n_channels() + (with_z ? n_inner : 0),
           hp_.n_embd);
    if (!with_z) packed("attn_gate", w.z, n_inner, hp_.n_embd);
    packed(both ? "ssm_ba" : "ssm_beta", w.beta, net.n_v_heads * (both ? 2 : 1), hp_.n_embd);
    if (!both) packed("ssm_alpha", w.alpha, net.n_v_heads, hp_.n_embd);
    packed("ssm_out", w.out, hp_.n_embd, n_inner);
  }

  void dense(const LayerPlan& layer) const {
    const LayerWeights& w = layer.weights;
    if (hp_.has_ffn_gate) packed("ffn_gate", w.ffn_gate, layer.shape.n_ff, hp_.n_embd);
    packed("ffn_up", w.ffn_up, layer.shape.n_ff, hp_.n_embd);
    packed("ffn_down", w.ffn_down, hp_.n_embd, layer.shape.n_ff);
  }

  void experts(const ExpertWeights& w) const {
    const ExpertHparams& e = hp_.experts;
    // The hidden rows of all experts that a token uses lie side by side. A row of two-byte values
    // is padded to an even length.
    const std::int64_t n_hidden =
        std::int64_t{e.n_expert_used} * (e.n_ff + e.n_ff % 2) + e.n_ff_shared;
    packed("ffn_gate_inp", w.router, e.n_expert, hp_.n_embd);
    for (const Matrix& gate : w.gate) packed("ffn_gate_exps", gate, e.n_ff, hp_.n_embd);
    for (const Matrix& up : w.up) packed("ffn_up_exps", up, e.n_ff, hp_.n_embd);
    for (const Matrix& down : w.down) {
      visit_({il_, "ffn_down_exps", down, hp_.n_embd, e.n_ff, n_hidden});
    }
    if (e.n_ff_shared == 0) return;
    if (w.shared_router.n_rows > 0) packed("ffn_gate_inp_shexp", w.shared_router, 1, hp_.n_embd);
    packed("ffn_gate_shexp", w.shared_gate, e.n_ff_shared, hp_.n_embd);
    packed("ffn_up_shexp", w.shared_up, e.n_ff_shared, hp_.n_embd);
    visit_({il_, "ffn_down_shexp", w.shared_down, hp_.n_embd, e.n_ff_shared, n_hidden});
  }

  const Hparams& hp_;
  int il_;
  Visit visit_;
};

std::string where(int il) {
  return il < 0 ? std::string() : fmt::format("blk.{}.", il);
}

// Each worker gets whole heads, so a rotation must not reach into the next head.
std::string misfit_of_rotation(const Hparams& hp, const LayerPlan& layer) {
  if (layer.mixer == Mixer::delta_net || layer.shape.rope == kNoRope) return {};
  const RopeHparams& rope = hp.ropes[static_cast<std::size_t>(layer.shape.rope)];
  const int room = layer.shape.head_dim_k - rope.offset;
  if (rope.n_rot <= room) return {};
  return fmt::format(
      "layer {} has heads of {} values, but {} of each are to be rotated ({}.rope.dimension_count)",
      layer.il, room, rope.n_rot, hp.architecture);
}

}  // namespace

void for_each_product(const Plan& plan, Visit f) {
  Walk(plan, -1, f).before_layers(plan.weights);
  for (const LayerPlan& layer : plan.layers) Walk(plan, layer.il, f).layer(layer);
  Walk(plan, -1, f).after_layers(plan.weights);
  if (!plan.nextn) return;
  const Walk head(plan, plan.nextn->layer.il, f);
  head.nextn(plan.weights);
  head.layer(plan.nextn->layer);
}

std::string misfit(const Plan& plan) {
  for (const LayerPlan& layer : plan.layers) {
    if (std::string rotation = misfit_of_rotation(plan.hparams, layer); !rotation.empty())
      return rotation;
  }
  std::string first = plan.nextn ? misfit_of_rotation(plan.hparams, plan.nextn->layer) : "";
  for_each_product(plan, [&](const Product& p) {
    const Matrix& m = p.matrix;
    if (!first.empty() || (m.n_rows == p.n_rows && m.rows.n_cols == p.n_cols)) return;
    first = fmt::format("tensor {}{} has shape [{}, {}], expected [{}, {}]", where(p.il), p.name,
                        m.rows.n_cols, m.n_rows, p.n_cols, p.n_rows);
  });
  return first;
}

}  // namespace confab::engine
