// SPDX-License-Identifier: MIT
// Which part of a model fits on a graphics processor.
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

// The same options as for the processor, because the processor must be able to take over.
GpuDecoder::Options device_options(const ContextPlan& plan);

// Device memory that the last n layers and the output need: weights, all pages, and the buffers of
// a pass. n is from 1 to all layers.
std::uint64_t device_bytes(const Model& model, const ContextPlan& plan, int n_layers);
// How many of the last layers fit on the device, up to n_most; 0 if not even one.
int layers_that_fit(const kernels::vulkan::GpuInfo& gpu, const Model& model,
                    const ContextPlan& plan, int n_most);

// Whether a second set of all pages and the buffers of a device's passes fit beside the processor's
// plan, if the two share memory and weights.
bool fits_beside(const Model& model, const ContextPlan& plan);

// The part of a model that a device would run.
struct DeviceFit {
  std::string name;          // untrusted text
  std::string refusal = {};  // from device_refusal()
  int n_layers = 0;          // how many of the last layers fit
  std::uint64_t bytes = 0;   // device memory that they need
  std::uint64_t available_bytes = 0;
};
// For the named device, or else for each device except software renderers.
std::vector<DeviceFit> fit_on_devices(const Model& model, const ContextPlan& plan,
                                      const DeviceChoice& choice);

// Why the device cannot run the model or even its last layers, in words that follow its name. Empty
// if it can.
std::string device_refusal(const kernels::vulkan::GpuInfo& gpu, const Model& model,
                           const ContextPlan& plan);

}  // namespace confab::engine
