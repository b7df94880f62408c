// SPDX-License-Identifier: MIT
#include "engine/latent_weights.h"

#include <fmt/format.h>

#include "engine/hparams.h"
#include "engine/tensor_reader.h"

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
  if (tensors.has(name("attn_kv_b.weight"))) {
    const std::int64_t n_rows = n_head * (latent.head_dim_nope + latent.head_dim_v);
    l.kv_b = tensors.matrix(name("attn_kv_b"), n_rows, rank, Bias::none);
    return;
  }
  l.k_b = tensors.stack(name("attn_k_b"), n_head, rank, latent.head_dim_nope);
  l.v_b = tensors.stack(name("attn_v_b"), n_head, latent.head_dim_v, rank);
}

}  // namespace confab::engine
