// SPDX-License-Identifier: MIT
#include "engine/model/latent_weights.h"

#include <fmt/format.h>

#include "engine/model/hparams.h"
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

}  // namespace confab::engine
