// SPDX-License-Identifier: MIT
#include "engine/run/device_fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/model.h"
#include "engine/model/model_part.h"
#include "engine/model/products.h"
#include "engine/run/context_plan.h"
#include "engine/size_text.h"

namespace confab::engine {

using kernels::vulkan::GpuInfo;
using Kind = DeviceChoice::Kind;

GpuDecoder::Options device_options(const ContextPlan& plan) {
  return {.n_ctx = plan.n_ctx,
          .n_pages = plan.n_pages,
          .type_k = plan.type_k,
          .type_v = plan.type_v,
          .n_batch = plan.n_batch,
          .n_logits = plan.n_logits};
}

std::uint64_t device_bytes(const Model& model, const ContextPlan& plan, int n_layers) {
  if (n_layers == model.hparams.n_layer)
    return GpuDecoder::device_bytes(model, device_options(plan));
  return GpuDecoder::device_bytes(last_layers(model, n_layers), device_options(plan));
}

int layers_that_fit(const GpuInfo& gpu, const Model& model, const ContextPlan& plan, int n_most) {
  for (int n = n_most; n > 0; --n)
    if (can_part(model.hparams, n) && device_bytes(model, plan, n) <= gpu.available_bytes) return n;
  return 0;
}

bool fits_beside(const Model& model, const ContextPlan& plan) {
  const std::uint64_t n_own =
      device_bytes(model, plan, model.hparams.n_layer) - model.weights.n_bytes;
  return plan.memory.fits() && n_own <= plan.memory.available_bytes - plan.memory.total_bytes();
}

namespace {

// Size of the largest weights that must be in one piece on a device: a matrix, or a matrix of all
// experts.
std::uint64_t largest_weights(const Model& model) {
  std::uint64_t most = 0;
  for_each_product(Plan(model.hparams, model.weights), [&](const Product& product) {
    const int n = product.is_of_experts() ? model.hparams.experts.n_expert : 1;
    most = std::max(most, product.matrix.n_bytes() * static_cast<std::uint64_t>(n));
  });
  return most;
}

}  // namespace

std::string device_refusal(const GpuInfo& gpu, const Model& model, const ContextPlan& plan) {
  if (!gpu.lacks.empty()) return "cannot be used: " + gpu.lacks;
  if (const std::string why = gpu_refusal(model, plan.type_k, plan.type_v); !why.empty())
    return fmt::format("cannot run it: this model {}", why);
  if (const std::uint64_t n = largest_weights(model); n > gpu.most_at_once_bytes)
    return fmt::format(
        "cannot run it: this model has a matrix of {}, and the driver gives no more "
        "than {} at once",
        size_text(n), size_text(gpu.most_at_once_bytes));
  if (layers_that_fit(gpu, model, plan, model.hparams.n_layer) > 0) return {};
  const int n_least = can_part(model.hparams, 1) ? 1 : model.hparams.n_layer;
  return fmt::format("has too little memory: {} needs {}, and {} of {} are free",
                     n_least == 1 ? "even the last layer, with the output," : "the model",
                     size_text(device_bytes(model, plan, n_least)), size_text(gpu.available_bytes),
                     size_text(gpu.memory_bytes));
}

std::vector<DeviceFit> fit_on_devices(const Model& model, const ContextPlan& plan,
                                      const DeviceChoice& choice) {
  std::vector<DeviceFit> fits;
  if (choice.kind == Kind::cpu) return fits;
  for (const GpuInfo& gpu : kernels::vulkan::list_gpus()) {
    const bool named = choice.kind == Kind::vulkan && gpu.index == choice.index;
    if (choice.kind == Kind::vulkan ? !named : gpu.type == GpuInfo::Type::processor) continue;
    DeviceFit fit{.name = gpu.name,
                  .refusal = device_refusal(gpu, model, plan),
                  .available_bytes = gpu.available_bytes};
    if (fit.refusal.empty()) {
      fit.n_layers = layers_that_fit(gpu, model, plan, model.hparams.n_layer);
      fit.bytes = device_bytes(model, plan, fit.n_layers);
    }
    fits.push_back(std::move(fit));
  }
  return fits;
}

}  // namespace confab::engine
