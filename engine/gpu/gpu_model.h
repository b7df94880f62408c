// SPDX-License-Identifier: MIT
// A model's plan with its weights on a graphics processor: what the recorder of passes reads.
#pragma once

#include <string>
#include <vector>

#include "engine/gpu/gpu_weights.h"
#include "engine/model/layer_plan.h"
#include "engine/model/model_part.h"

namespace confab::engine {

// As StreamInput and Residual (engine/model/layer_plan.h) have it.
struct GpuStreamInput {
  GpuNorm norm{};
  Residual::When waits = Residual::When::at_once;  // at_once: nothing waits
  GpuNorm post_norm{};
  std::uint64_t x_scale = 0;
};

struct GpuMlp {  // down (activation(gate x) * up x), or without a gate
  GpuMatrix gate, up, down;
};

// As ExpertWeights (engine/model/weights.h) has it.
struct GpuExperts {
  GpuMatrix router;
  std::uint64_t selection_bias = 0;
  GpuMlp chosen;  // each matrix is n_expert of them
  std::uint64_t down_scales =
      0;  // [n_expert] of chosen.down, whose own scale is 1; 0: they share it
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
  GpuMlp mlp;          // unless plan->feed_forward is experts alone
  GpuExperts experts;  // unless it is dense
};

struct GpuModel {
  // Copies or imports the weights. What model is of must outlive the object. Throws GpuError.
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

// Why a model, with a cache of these types, cannot run on a graphics processor, in words that go on
// "this model ..."; empty: it can.
std::string gpu_refusal(ModelView model, kernels::Dtype type_k, kernels::Dtype type_v);

}  // namespace confab::engine
