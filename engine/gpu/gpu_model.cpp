// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/model/hparams.h"
#include "engine/model/products.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

constexpr std::array kCacheTypes{Dtype::F32, Dtype::F16, Dtype::Q8_0};
constexpr int kMostHeadDim = 512;  // limited by the programs' shared memory
constexpr int kMostGroup = 8;      // heads per attention workgroup, with heads of kMostHeadDim / 2

GpuStreamInput put(GpuWeights& weights, const StreamInput& input, int n_embd) {
  return {.norm = weights.put(input.norm, n_embd),
          .waits = input.before.when,
          .post_norm = weights.put(input.before.norm, n_embd),
          .x_scale = weights.put(input.before.x_scale, 1)};
}

std::uint64_t put(GpuWeights& weights, const HeadNorm& norm, const Hparams& hp, int n_heads,
                  int head_dim) {
  const bool shared = hp.qk_norm == QkNorm::head && norm.stride == 0;
  return weights.put(norm.weight, std::int64_t{shared ? 1 : n_heads} * head_dim);
}

bool share_a_scale(std::span<const Matrix> experts) {
  return std::ranges::all_of(experts,
                             [&](const Matrix& m) { return m.scale == experts.front().scale; });
}

GpuExperts put_experts(GpuWeights& weights, const ExpertWeights& w, const Hparams& hp) {
  GpuExperts made;
  made.router = weights.put(w.router);
  made.selection_bias = weights.put(w.selection_bias, hp.experts.n_expert);
  made.chosen = {.gate = weights.put(std::span<const Matrix>(w.gate)),
                 .up = weights.put(std::span<const Matrix>(w.up)),
                 .down = weights.put(std::span<const Matrix>(w.down))};
  if (!share_a_scale(w.down)) {
    std::vector<float> scales;
    for (const Matrix& m : w.down) scales.push_back(m.scale);
    made.down_scales = weights.put_copy(scales);
    made.chosen.down.scale = 1;
  }
  made.shared_router = weights.put(w.shared_router);
  made.shared = {.gate = weights.put(w.shared_gate),
                 .up = weights.put(w.shared_up),
                 .down = weights.put(w.shared_down)};
  made.router_norm = weights.put(w.router_norm, hp.n_embd);
  made.norm = weights.put(w.norm, hp.n_embd);
  made.post_norm = weights.put(w.post_norm, hp.n_embd);
  made.plain_post_norm = weights.put(w.plain_post_norm, hp.n_embd);
  return made;
}

GpuLayer put_layer(GpuWeights& weights, const Hparams& hp, const LayerPlan& plan) {
  const LayerWeights& w = plan.weights;
  const LayerHparams& shape = plan.shape;
  GpuLayer made;
  made.plan = &plan;
  made.mixer_input = put(weights, plan.mixer_input, hp.n_embd);
  made.q = weights.put(w.attn_q);
  made.k = weights.put(w.attn_k);
  made.v = weights.put(w.attn_v);
  made.out = weights.put(w.attn_output);
  made.q_norm = put(weights, w.attn_q_norm, hp, shape.n_head, shape.head_dim_k);
  made.k_norm = put(weights, w.attn_k_norm, hp, shape.n_head_kv, shape.head_dim_k);
  made.sinks = weights.put(w.attn_sinks, shape.n_head);
  made.feed_forward_input = put(weights, plan.feed_forward_input, hp.n_embd);
  if (plan.feed_forward != FeedForward::dense) made.experts = put_experts(weights, w.experts, hp);
  if (plan.feed_forward != FeedForward::experts)
    made.mlp = {.gate = weights.put(w.ffn_gate),
                .up = weights.put(w.ffn_up),
                .down = weights.put(w.ffn_down)};
  return made;
}

// Experts' scales are applied together with the weights of the choice, that is, after biases.
std::string refused_experts(const LayerPlan& layer) {
  if (layer.feed_forward == FeedForward::dense) return {};
  const ExpertWeights& w = layer.weights.experts;
  const bool scales_after_bias = !share_a_scale(w.down) && w.down.front().bias != nullptr;
  if (scales_after_bias || !share_a_scale(w.gate) || !share_a_scale(w.up))
    return "has experts whose matrices have scales of their own";
  return {};
}

std::string refused_part(const Hparams& hp, const LayerPlan& layer) {
  if (layer.mixer == Mixer::delta_net) return "has recurrent layers";
  if (layer.mixer == Mixer::latent_attention) return "has latent attention";
  if (std::string part = refused_experts(layer); !part.empty()) return part;
  if (layer.has_per_layer_input) return "gives each layer an input of its own";
  if (hp.attn_gate) return "gates its attention";
  if (layer.x_scale != nullptr) return "scales its layers";
  const LayerHparams& shape = layer.shape;
  if (std::max(shape.head_dim_k, shape.head_dim_v) > kMostHeadDim)
    return fmt::format("has heads of more than {} values", kMostHeadDim);
  const bool packs = kernels::info(layer.mixer_out.rows.dtype).block > 1;
  if (shape.head_dim_k % 4 != 0 || shape.head_dim_v % (packs ? 32 : 4) != 0)
    return fmt::format("has heads whose size is no multiple of {}", packs ? 32 : 4);
  return {};
}

}  // namespace

GpuModel::GpuModel(kernels::vulkan::Gpu& gpu, ModelView model, const UploadOptions& options)
    : hp(model.hparams),
      plan(model.hparams, model.weights),
      weights(gpu, model.weights.n_bytes, options) {
  token_embd = weights.put(model.weights.token_embd);
  for (const LayerPlan& layer : plan.layers) layers.push_back(put_layer(weights, hp, layer));
  output_input = put(weights, plan.output_input, hp.n_embd);
  output = weights.put(model.weights.output);
  weights.finish();
}

std::string gpu_refusal(ModelView model, Dtype type_k, Dtype type_v) {
  const Hparams& hp = model.hparams;
  const Plan plan(hp, model.weights);
  for (const LayerPlan& layer : plan.layers)
    if (std::string part = refused_part(hp, layer); !part.empty()) return part;
  for (const Dtype type : {type_k, type_v})
    if (std::ranges::find(kCacheTypes, type) == kCacheTypes.end())
      return fmt::format("would have a cache of {}, where F32, F16 and Q8_0 can be",
                         kernels::info(type).name);
  std::string refusal = hp.n_embd % 8 == 0 ? "" : "has embeddings that are no multiple of 8";
  for_each_product(plan, [&](const Product& product) {
    const Dtype dtype = product.matrix.rows.dtype;
    if (refusal.empty() && !kernels::vulkan::has_format(static_cast<std::uint32_t>(dtype)))
      refusal = fmt::format("has weights of {}{}", kernels::info(dtype).name,
                            kernels::has_side_scales(dtype) ? ", their scales apart" : "");
    if (refusal.empty() && product.matrix.rows.n_cols % 4 != 0)
      refusal = "has a matrix whose columns are no multiple of 4";
  });
  return refusal;
}

}  // namespace confab::engine
