// SPDX-License-Identifier: MIT
// Chooses what a model runs on: the processor; a graphics processor, with the processor in reserve;
// or both, one for prompts and the other for answers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/api/model_info.h"
#include "engine/cache/decoder.h"

namespace confab::kernels {
struct KernelTable;
class ThreadPool;
}  // namespace confab::kernels

namespace confab::kernels::vulkan {
struct GpuInfo;
}

namespace confab::engine {

struct ContextPlan;
struct LoadOptions;
struct Model;

// The references must outlive a decoder made from them.
struct DecoderParts {
  const Model& model;
  const ContextPlan& plan;
  const kernels::KernelTable& table;
  kernels::ThreadPool& pool;
};

struct ChosenDecoder {
  std::unique_ptr<Decoder> decoder = {};
  std::string device = {};     // its name, untrusted text; empty for the processor
  std::string device_id = {};  // includes its driver, for CacheTraits
  // Index in kernels::vulkan::list_gpus(), if that device runs all layers.
  std::optional<int> whole_on = {};
  std::string reason = {};  // as ModelInfo::device_reason
  std::string notice = {};  // lines on why the preferred device is not used; may be empty
};

// The kernels named by options.isa or $CONFAB_ISA, or else the best ones. Throws ModelError.
const kernels::KernelTable& choose_table(const LoadOptions& options);

// Makes the decoder that options.device and options.n_gpu_layers ask for. Without either, uses a
// graphics processor if it computes the model correctly, for whatever DeviceCheck::best_use() says.
// If it lacks memory for all layers, or fewer are requested, the processor runs the first layers.
// The store remembers measurements. on_failure is called inside Decoder::run() when the device has
// failed and the processor takes over. Throws ModelError; if the device is missing or cannot run
// the model, before anything is copied to it. Also throws what options.on_copied throws.
ChosenDecoder choose_decoder(const DecoderParts& parts, const LoadOptions& options,
                             std::function<void(const std::string& why)> on_failure);
// The same, but `decoder` stays empty if the processor is chosen.
ChosenDecoder choose_device(const DecoderParts& parts, const LoadOptions& options,
                            std::function<void(const std::string& why)> on_failure);

// Adds what is known of the decoder.
ModelInfo on_device(ModelInfo info, const ChosenDecoder& chosen);

}  // namespace confab::engine
