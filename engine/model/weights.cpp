// SPDX-License-Identifier: MIT
#include "engine/model/weights.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "engine/gguf/gguf.h"
#include "engine/gguf/row_order.h"
#include "engine/model/hparams.h"
#include "engine/model/layer_plan.h"
#include "engine/model/tensor_reader.h"

namespace confab::engine {

void load_latent(const TensorReader& tensors, const Hparams& hp, int il, LayerWeights& w) {
  const auto name = [il](std::string_view rest) { return fmt::format("blk.{}.{}", il, rest); };
  const LatentHparams& latent = hp.latent;
  const LayerHparams& layer = hp.layers[static_cast<std::size_t>(il)];
  LatentWeights& l = w.latent;
  const std::int64_t n_head = layer.n_head, rank = latent.kv_rank;
  const std::int64_t n_q = n_head * (latent.head_dim_nope + hp.ropes[0].n_rot);
  if (latent.q_rank > 0) {
    l.q_a = tensors.matrix(name("attn_q_a"), latent.q_rank, hp.n_embd, Bias::optional);
    l.q_a_norm = tensors.vector(name("attn_q_a_norm.weight"), latent.q_rank);
    w.attn_q = tensors.matrix(name("attn_q_b"), n_q, latent.q_rank, Bias::optional);
  } else {
    w.attn_q = tensors.matrix(name("attn_q"), n_q, hp.n_embd, Bias::optional);
  }
  l.kv_a = tensors.matrix(name("attn_kv_a_mqa"), layer.head_dim_k, hp.n_embd, Bias::optional);
  l.kv_a_norm = tensors.vector(name("attn_kv_a_norm.weight"), rank);
  const std::int64_t nope = latent.head_dim_nope, dim_v = latent.head_dim_v;
  l.k_b_transposed = tensors.has(name("attn_kv_b.weight"));
  if (!l.k_b_transposed) {
    l.k_b = tensors.matrices(name("attn_k_b"), n_head, rank, nope, Bias::none);
    l.v_b = tensors.matrices(name("attn_v_b"), n_head, dim_v, rank, Bias::none);
    return;
  }
  const Matrix kv_b = tensors.matrix(name("attn_kv_b"), n_head * (nope + dim_v), rank, Bias::none);
  for (std::int64_t row = 0; row < kv_b.n_rows; row += nope + dim_v) {
    l.k_b.push_back(rows_of(kv_b, row, nope));
    l.v_b.push_back(rows_of(kv_b, row + nope, dim_v));
  }
}

namespace {

class ExpertReader {
 public:
  ExpertReader(const TensorReader& tensors, const Hparams& hp, int il)
      : tensors_(tensors), hp_(hp), experts_(hp.experts), il_(il) {}

  ExpertWeights load() const {
    ExpertWeights w;
    if (experts_.beside_plain) {
      load_norms(w);
    } else {
      w.router = tensors_.matrix(name("ffn_gate_inp"), experts_.n_expert, hp_.n_embd, bias());
    }
    if (tensors_.has(name("exp_probs_b.bias"))) {
      w.selection_bias = tensors_.vector(name("exp_probs_b.bias"), experts_.n_expert);
    }
    load_gate_and_up(w);
    w.down = matrices("ffn_down", hp_.n_embd, experts_.n_ff);
    if (experts_.n_ff_shared > 0) load_shared(w);
    return w;
  }

 private:
  std::string name(std::string_view rest) const { return fmt::format("blk.{}.{}", il_, rest); }
  Bias bias() const noexcept { return experts_.has_biases ? Bias::required : Bias::optional; }

  void load_gate_and_up(ExpertWeights& w) const {
    const std::int64_t n_ff = experts_.n_ff;
    if (tensors_.has(name(kGateUpPairs))) return load_pairs(w);
    if (!tensors_.has(name("ffn_gate_up_exps.weight"))) {
      w.gate = matrices("ffn_gate", n_ff, hp_.n_embd);
      w.up = matrices("ffn_up", n_ff, hp_.n_embd);
      return;
    }
    for (const Matrix& both : tensors_.matrices(name("ffn_gate_up_exps"), experts_.n_expert,
                                                2 * n_ff, hp_.n_embd, bias())) {
      w.gate.push_back(rows_of(both, 0, n_ff));
      w.up.push_back(rows_of(both, n_ff, n_ff));
    }
  }

  void load_pairs(ExpertWeights& w) const {
    const std::int64_t n_ff = experts_.n_ff, n_embd = hp_.n_embd;
    tensors_.expect_dtype(name(kGateUpPairs), kernels::Dtype::E2M1);  // whole blocks only
    const std::string pairs = name(kGateUpPairs.substr(0, kGateUpPairs.rfind('.')));
    for (const Matrix& both :
         tensors_.matrices(pairs, experts_.n_expert, n_ff, 2 * n_embd, Bias::none)) {
      w.gate.push_back(columns_of(both, 0, n_embd));
      w.up.push_back(columns_of(both, n_embd, n_embd));
    }
    add_biases(w.gate, "ffn_gate_exps.bias");
    add_biases(w.up, "ffn_up_exps.bias");
  }

  // Sets the biases from a tensor with one vector [n_rows] per expert.
  void add_biases(std::vector<Matrix>& matrices, std::string_view rest) const {
    const float* bias = tensors_.vectors(name(rest), matrices.front().n_rows, std::ssize(matrices));
    for (Matrix& matrix : matrices) {
      matrix.bias = bias;
      bias += matrix.n_rows;
    }
  }

  // Returns n_expert matrices [n_rows, n_cols].
  std::vector<Matrix> matrices(std::string_view rest, std::int64_t n_rows,
                               std::int64_t n_cols) const {
    const std::string first = fmt::format("{}.0", name(rest));
    if (!tensors_.has(first + ".weight")) {
      return tensors_.matrices(name(rest) + "_exps", experts_.n_expert, n_rows, n_cols, bias());
    }
    std::vector<Matrix> all;
    for (int e = 0; e < experts_.n_expert; ++e) {
      const std::string one = fmt::format("{}.{}", name(rest), e);
      all.push_back(tensors_.matrix(one, n_rows, n_cols, Bias::optional));
      tensors_.expect_dtype(one + ".weight", all.front().rows.dtype);
    }
    return all;
  }

  // The scales of the router are the weights of its norm. Its input is also divided by
  // sqrt(n_embd).
  void load_norms(ExpertWeights& w) const {
    w.router = tensors_.weight(name("ffn_gate_inp"), experts_.n_expert, hp_.n_embd);
    w.router.scale = 1 / std::sqrt(static_cast<float>(hp_.n_embd));
    w.router_norm = {.weight = tensors_.vector(name("ffn_gate_inp.scale"), hp_.n_embd)};
    w.norm = tensors_.norm(name("pre_ffw_norm_2"), hp_.n_embd, Bias::none);
    w.post_norm = tensors_.norm(name("post_ffw_norm_2"), hp_.n_embd, Bias::none);
    w.plain_post_norm = tensors_.norm(name("post_ffw_norm_1"), hp_.n_embd, Bias::none);
  }

  void load_shared(ExpertWeights& w) const {
    const std::int64_t n_ff = experts_.n_ff_shared;
    w.shared_gate = tensors_.matrix(name("ffn_gate_shexp"), n_ff, hp_.n_embd, Bias::optional);
    w.shared_up = tensors_.matrix(name("ffn_up_shexp"), n_ff, hp_.n_embd, Bias::optional);
    w.shared_down = tensors_.matrix(name("ffn_down_shexp"), hp_.n_embd, n_ff, Bias::optional);
    if (!experts_.shared_gate) return;
    w.shared_router = tensors_.matrix(name("ffn_gate_inp_shexp"), 1, hp_.n_embd, Bias::none);
  }

  const TensorReader& tensors_;
  const Hparams& hp_;
  const ExpertHparams& experts_;
  int il_;
};

}  // namespace

ExpertWeights load_experts(const TensorReader& tensors, const Hparams& hparams, int il) {
  return ExpertReader(tensors, hparams, il).load();
}

namespace {

// Loads the tensors of one layer.
class LayerReader {
 public:
  LayerReader(const TensorReader& tensors, const Hparams& hparams, int il)
      : tensors_(tensors),
        hp_(hparams),
        layer_(hparams.layers[static_cast<std::size_t>(il)]),
        il_(il) {}

  LayerWeights load() const {
    LayerWeights w;
    if (hp_.pre_norms) w.attn_norm = norm("attn_norm");
    load_mixer(w);
    if (hp_.post_norms) w.attn_post_norm = norm("post_attention_norm");
    const bool one_norm = hp_.parallel && !tensors_.has(name(hp_.ffn_norm_name) + ".weight");
    if (hp_.pre_norms) w.ffn_norm = one_norm ? w.attn_norm : norm(hp_.ffn_norm_name);
    load_feed_forward(w);
    if (hp_.post_norms) w.ffn_post_norm = norm("post_ffw_norm");
    if (hp_.n_embd_per_layer > 0) {
      w.per_layer_gate = matrix("inp_gate", hp_.n_embd_per_layer, hp_.n_embd);
      w.per_layer_proj = matrix("proj", hp_.n_embd, hp_.n_embd_per_layer);
      w.per_layer_post_norm = norm("post_norm");
    }
    const std::string scale = name("layer_output_scale.weight");
    if (tensors_.has(scale)) w.output_scale = tensors_.vector(scale, 1);
    return w;
  }

 private:
  std::string name(std::string_view rest) const { return fmt::format("blk.{}.{}", il_, rest); }
  static std::int64_t rows(int n_heads, int head_dim) noexcept {
    return std::int64_t{n_heads} * head_dim;
  }
  Norm norm(std::string_view rest) const {
    return tensors_.norm(name(rest), hp_.n_embd,
                         hp_.has_norm_bias ? Bias::required : Bias::optional);
  }
  Matrix matrix(std::string_view rest, std::int64_t n_rows, std::int64_t n_cols,
                Bias bias = Bias::optional) const {
    return tensors_.matrix(name(rest), n_rows, n_cols, bias);
  }

  void load_mixer(LayerWeights& w) const {
    switch (mixer_of(hp_, layer_)) {
      case Mixer::delta_net:
        return load_delta_net(w.delta_net);
      case Mixer::latent_attention:
        load_latent(tensors_, hp_, il_, w);
        return load_output(w, hp_.latent.head_dim_v);
      case Mixer::attention:
        load_attention(w);
        return load_output(w, layer_.head_dim_v);
    }
  }

  void load_attention(LayerWeights& w) const {
    const Bias bias = hp_.has_qkv_bias ? Bias::required : Bias::optional;
    const std::int64_t n_q = rows(layer_.n_head, layer_.head_dim_k) * (hp_.attn_gate ? 2 : 1);
    const std::int64_t n_k = rows(layer_.n_head_kv, layer_.head_dim_k);
    const std::int64_t n_v = rows(layer_.n_head_kv, layer_.head_dim_v);
    if (tensors_.has(name("attn_qkv.weight"))) {
      const Matrix all = matrix("attn_qkv", n_q + n_k + n_v, hp_.n_embd, bias);
      w.attn_q = rows_of(all, 0, n_q);
      if (layer_.kv_layer < 0) {
        w.attn_k = rows_of(all, n_q, n_k);
        w.attn_v = rows_of(all, n_q + n_k, n_v);
      }
    } else {
      w.attn_q = matrix("attn_q", n_q, hp_.n_embd, bias);
      if (layer_.kv_layer < 0) load_keys_and_values(w, n_k, n_v);
    }
    w.attn_q_norm = head_norm("attn_q_norm.weight", layer_.n_head);
    if (layer_.kv_layer < 0) w.attn_k_norm = head_norm("attn_k_norm.weight", layer_.n_head_kv);
    if (hp_.attn_sinks) w.attn_sinks = tensors_.vector(name("attn_sinks.weight"), layer_.n_head);
  }

  void load_output(LayerWeights& w, int head_dim_v) const {
    w.attn_output = matrix("attn_output", hp_.n_embd, rows(layer_.n_head, head_dim_v));
  }

  void load_delta_net(DeltaNetWeights& w) const {
    const DeltaNetHparams& net = hp_.delta_net;
    const std::int64_t n_inner = rows(net.n_v_heads, net.d_state);
    if (tensors_.has(name("ssm_in.weight"))) {
      w.qkv = matrix("ssm_in", net.n_channels() + n_inner, hp_.n_embd, Bias::none);
    } else {
      w.qkv = matrix("attn_qkv", net.n_channels(), hp_.n_embd, Bias::none);
      w.z = matrix("attn_gate", n_inner, hp_.n_embd, Bias::none);
    }
    if (tensors_.has(name("ssm_ba.weight"))) {
      w.beta = matrix("ssm_ba", 2 * net.n_v_heads, hp_.n_embd, Bias::none);
    } else {
      w.beta = matrix("ssm_beta", net.n_v_heads, hp_.n_embd, Bias::none);
      w.alpha = matrix("ssm_alpha", net.n_v_heads, hp_.n_embd, Bias::none);
    }
    w.out = matrix("ssm_out", hp_.n_embd, n_inner, Bias::none);
    w.conv = tensors_.vectors(name("ssm_conv1d.weight"), net.d_conv, net.n_channels());
    w.dt = tensors_.vector(name("ssm_dt.bias"), net.n_v_heads);
    w.a = tensors_.vector(name("ssm_a"), net.n_v_heads);
    w.norm = tensors_.vector(name("ssm_norm.weight"), net.d_state);
  }

  void load_keys_and_values(LayerWeights& w, std::int64_t n_k, std::int64_t n_v) const {
    const Bias bias = hp_.has_qkv_bias ? Bias::required : Bias::optional;
    w.attn_k = matrix("attn_k", n_k, hp_.n_embd, bias);
    const bool has_values = tensors_.has(name("attn_v.weight"));
    const bool keys_are_values = hp_.keys_may_be_values && !has_values && n_k == n_v;
    w.attn_v = keys_are_values ? w.attn_k : matrix("attn_v", n_v, hp_.n_embd, bias);
  }

  // LayerNorm has separate weights for each head; RMSNorm shares one set (llama.cpp, command-r).
  HeadNorm head_norm(std::string_view rest, int n_heads) const {
    const int dim = layer_.head_dim_k;
    switch (hp_.qk_norm) {
      case QkNorm::none:
        return {};
      case QkNorm::row:
        return {tensors_.vector(name(rest), rows(n_heads, dim)), 0};
      case QkNorm::head:
        break;
    }
    if (hp_.norm == NormKind::rms) return {tensors_.vector(name(rest), dim), 0};
    return {tensors_.vectors(name(rest), dim, n_heads), dim};
  }

  void load_feed_forward(LayerWeights& w) const {
    const FeedForward kind = feed_forward_of(hp_, layer_);
    if (kind != FeedForward::dense) w.experts = load_experts(tensors_, hp_, il_);
    if (kind == FeedForward::experts) return;
    const std::int64_t n_ff = layer_.n_ff;
    if (hp_.fused_gate_up) {
      const Matrix both = matrix("ffn_up", 2 * n_ff, hp_.n_embd);
      w.ffn_gate = rows_of(both, 0, n_ff);
      w.ffn_up = rows_of(both, n_ff, n_ff);
    } else {
      if (hp_.has_ffn_gate) w.ffn_gate = matrix("ffn_gate", n_ff, hp_.n_embd);
      w.ffn_up = matrix("ffn_up", n_ff, hp_.n_embd);
    }
    w.ffn_down = matrix("ffn_down", hp_.n_embd, n_ff);
  }

  const TensorReader& tensors_;
  const Hparams& hp_;
  const LayerHparams& layer_;
  int il_;
};

// Types with side scales stay mapped, because each of their rows lies in several places.
void look_up_in_file(const Gguf& gguf, Matrix& table) noexcept {
  if (!kernels::has_side_scales(table.rows.dtype))
    table.file = gguf.file_of({table.rows.data, table.n_bytes()});
}

NextnWeights load_nextn(const TensorReader& tensors, const Hparams& hp, const Weights& w) {
  const auto name = [&](std::string_view rest) {
    return fmt::format("blk.{}.nextn.{}", hp.n_layer, rest);
  };
  const auto table_or = [&](std::string_view rest, const Matrix& shared) {
    if (!tensors.has(name(rest) + ".weight")) return shared;
    return tensors.matrix(name(rest), hp.n_vocab, hp.n_embd, Bias::none);
  };
  const bool has_norm = tensors.has(name("shared_head_norm.weight"));
  return {.embed_tokens = table_or("embed_tokens", w.token_embd),
          .enorm = tensors.norm(name("enorm"), hp.n_embd, Bias::optional),
          .hnorm = tensors.norm(name("hnorm"), hp.n_embd, Bias::optional),
          .eh_proj =
              tensors.matrix(name("eh_proj"), hp.n_embd, 2 * std::int64_t{hp.n_embd}, Bias::none),
          .shared_head_norm =
              has_norm ? tensors.norm(name("shared_head_norm"), hp.n_embd, Bias::optional)
                       : w.output_norm,
          .shared_head_head = table_or("shared_head_head", w.output)};
}

}  // namespace

void Matrix::read(std::span<const std::byte> bytes, std::byte* to) const noexcept {
  file->copy(bytes, to);
}

Weights Weights::load(const Gguf& gguf, const Hparams& hp) {
  const TensorReader tensors(gguf);
  Weights w;
  w.token_embd = tensors.matrix("token_embd", hp.n_vocab, hp.n_embd, Bias::none);
  for (int il = 0; il < static_cast<int>(hp.layers.size()); ++il) {
    w.layers.push_back(LayerReader(tensors, hp, il).load());
  }
  w.output_norm =
      tensors.norm("output_norm", hp.n_embd, hp.has_norm_bias ? Bias::required : Bias::optional);
  w.output = tensors.has("output.weight")
                 ? tensors.matrix("output", hp.n_vocab, hp.n_embd, Bias::optional)
                 : w.token_embd;
  if (w.output.rows.data != w.token_embd.rows.data) look_up_in_file(gguf, w.token_embd);
  if (hp.has_nextn_head()) w.nextn = load_nextn(tensors, hp, w);
  if (const std::int64_t n_one = hp.n_embd_per_layer; n_one > 0) {
    const std::int64_t n_all = n_one * hp.n_layer;
    w.per_layer_token_embd = tensors.matrix("per_layer_token_embd", hp.n_vocab, n_all, Bias::none);
    look_up_in_file(gguf, w.per_layer_token_embd);
    w.per_layer_model_proj = tensors.matrix("per_layer_model_proj", n_all, hp.n_embd, Bias::none);
    w.per_layer_proj_norm = tensors.vector("per_layer_proj_norm.weight", n_one);
  }
  const int n_pairs = hp.ropes[0].n_rot / 2;
  w.rope_freqs = tensors.divisors("rope_freqs.weight", n_pairs);
  w.rope_factors_short = tensors.divisors("rope_factors_short.weight", n_pairs);
  w.rope_factors_long = tensors.divisors("rope_factors_long.weight", n_pairs);
  refuse_unused_tensors(tensors, hp);
  w.n_bytes = tensors.bytes_read();
  return w;
}

}  // namespace confab::engine
