// SPDX-License-Identifier: MIT
// A model's plan and its weights on a graphics processor, as the recorder of passes reads them.
#pragma once

#include <string>
#include <vector>

#include "engine/gpu/gpu_weights.h"
#include "engine/model/layer_plan.h"
#include "engine/model/model_part.h"

namespace confab::engine {

// Corresponds to StreamInput and Residual (engine/model/layer_plan.h).
struct GpuStreamInput {
  GpuNorm norm{};
  Residual::When waits = Residual::When::at_once;  // at_once: no residual is pending
  GpuNorm post_norm{};
  std::uint64_t x_scale = 0;
};

struct GpuMlp {  // down (activation(gate x) * up x); gate may be absent
  GpuMatrix gate, up, down;
};

// Corresponds to ExpertWeights (engine/model/weights.h).
struct GpuExperts {
  GpuMatrix router;
  std::uint64_t selection_bias = 0;
  GpuMlp chosen;  // each matrix holds those of all n_expert experts
  // [n_expert], the scales of chosen.down, whose own scale is then 1. 0: all experts share a scale.
  std::uint64_t down_scales = 0;
  GpuMatrix shared_router;
  GpuMlp shared;
  GpuNorm router_norm, norm, post_norm, plain_post_norm;
};

struct GpuLayer {
  const LayerPlan* plan = nullptr;
  GpuStreamInput mixer_input;
  GpuMatrix q, k, v, out;
  std::uint64_t q_norm = 0, k_norm = 0, sinks = 0;
  GpuStreamInput feed_forward_input;
  GpuMlp mlp;          // empty if plan->feed_forward is `experts`
  GpuExperts experts;  // empty if plan->feed_forward is `dense`
};

struct GpuModel {
  // Copies or imports the weights. The Model behind `model` must outlive the object. Throws
  // GpuError.
  GpuModel(kernels::vulkan::Gpu& gpu, ModelView model, const UploadOptions& options);
  GpuModel(const GpuModel&) = delete;
  GpuModel& operator=(const GpuModel&) = delete;

  const Hparams& hp;
  const Plan plan;
  GpuWeights weights;
  GpuMatrix token_embd;
  std::vector<GpuLayer> layers;
  GpuStreamInput output_input;
  GpuMatrix output;
};

// Why a model with a cache of these types cannot run on a graphics processor, in words that
// complete "this model ...". Empty if it can.
std::string gpu_refusal(ModelView model, kernels::Dtype type_k, kernels::Dtype type_v);

}  // namespace confab::engine
