// SPDX-License-Identifier: MIT
// What of a model a graphics processor has room for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/gpu/gpu_decoder.h"
#include "engine/run/device/device_choice.h"

namespace confab::kernels::vulkan {
struct GpuInfo;
}

namespace confab::engine {

struct ContextPlan;
struct Model;

// As a plan for the processor has it, which has to be able to go on.
GpuDecoder::Options device_options(const ContextPlan& plan);

// What the last n layers and the output take of a device's memory: weights, all pages and the
// buffers of a pass; n: 1 to all.
std::uint64_t device_bytes(const Model& model, const ContextPlan& plan, int n_layers);
// How many of the last layers a device has room for, n_most at most; 0: not for one.
int layers_that_fit(const kernels::vulkan::GpuInfo& gpu, const Model& model,
                    const ContextPlan& plan, int n_most);

// Whether all pages once more, and the buffers of a device's passes, fit beside what the plan has
// for the processor, where both share the memory and the weights.
bool fits_beside(const Model& model, const ContextPlan& plan);

// What of a model a device would run by itself.
struct DeviceFit {
  std::string name;          // untrusted text
  std::string refusal = {};  // as device_refusal() has it
  int n_layers = 0;          // the last ones, that it has room for
  std::uint64_t bytes = 0;   // that they take of its memory
  std::uint64_t available_bytes = 0;
};
// Of the device that is named, or else of each that is no processor playing the part.
std::vector<DeviceFit> fit_on_devices(const Model& model, const ContextPlan& plan,
                                      const DeviceChoice& choice);

// Of a device in words that go on "NAME ..." why it cannot run the model, nor its last layers;
// empty: it can.
std::string device_refusal(const kernels::vulkan::GpuInfo& gpu, const Model& model,
                           const ContextPlan& plan);

}  // namespace confab::engine
