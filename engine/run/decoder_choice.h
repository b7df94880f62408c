// SPDX-License-Identifier: MIT
// On what a model is run: the processor's decoder, or that of a graphics processor, with the
// processor's in reserve; or both, prompts on the one and answers on the other.
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

// The references must outlive the decoder that is made of them.
struct DecoderParts {
  const Model& model;
  const ContextPlan& plan;
  const kernels::KernelTable& table;
  kernels::ThreadPool& pool;
};

struct ChosenDecoder {
  std::unique_ptr<Decoder> decoder = {};
  std::string device = {};     // its name, untrusted text; empty: the processor
  std::string device_id = {};  // with its driver's: CacheTraits
  // Which one, as kernels::vulkan::list_gpus() has them, where it runs all layers.
  std::optional<int> whole_on = {};
  std::string reason = {};  // as ModelInfo::device_reason
  std::string notice = {};  // a line: why it is not the device that was hoped for; else empty
};

// The kernels that options.isa or $CONFAB_ISA name, else the best ones. Throws ModelError.
const kernels::KernelTable& choose_table(const LoadOptions& options);

// The decoder that options.device and options.n_gpu_layers ask for; by itself a graphics processor
// that computes the model right, for what DeviceCheck::best_use() says. Where that has not the
// memory for all layers, or fewer are asked for, the processor runs the first ones. What is
// measured, the store remembers. on_failure: the device has failed, and the processor goes on from
// then on; called in Decoder::run(). Throws ModelError, and before anything is copied to the device
// where it is not there or cannot run the model; and what options.on_copied throws.
ChosenDecoder choose_decoder(const DecoderParts& parts, const LoadOptions& options,
                             std::function<void(const std::string& why)> on_failure);
// The same, without a decoder where the processor's is the one.
ChosenDecoder choose_device(const DecoderParts& parts, const LoadOptions& options,
                            std::function<void(const std::string& why)> on_failure);

// With what there is to know of the decoder.
ModelInfo on_device(ModelInfo info, const ChosenDecoder& chosen);

}  // namespace confab::engine
