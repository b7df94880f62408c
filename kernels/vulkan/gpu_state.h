// SPDX-License-Identifier: MIT
// State that the parts of a Gpu share. Only kernels/vulkan includes this.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "kernels/vulkan/api.h"
#include "kernels/vulkan/gpu.h"

namespace confab::kernels::vulkan {

// Throws GpuError with the name of the call unless the result is VK_SUCCESS.
void check(VkResult result, const char* call);

// A device of list_gpus(), with details that only Vulkan calls need.
struct FoundGpu {
  GpuInfo info;
  VkPhysicalDevice device = nullptr;
  std::uint32_t queue_family = 0;
  bool has_host_import = false;
  bool has_portability_subset = false;
  bool has_subgroup_size_control = false;
  std::uint64_t import_alignment = 0;  // 0: the driver cannot import memory
  std::array<std::uint32_t, 3> most_workgroups{};
  float timestamp_period = 0;  // nanoseconds
  bool is_1_3 = false;
};
std::vector<FoundGpu> find_gpus();

struct GpuState {
  FoundGpu found;
  VkDevice device = nullptr;
  DeviceApi api;
  VkQueue queue = nullptr;
  VkCommandPool pool = nullptr;
  std::vector<VkFence> free_fences;
  VkPipelineLayout layout = nullptr;
  VkPhysicalDeviceMemoryProperties memory{};
  std::map<std::tuple<Shader, std::uint32_t, std::vector<std::uint32_t>>, Program> programs;
  struct Submission {
    const Commands* commands;
    VkFence fence;
    std::chrono::steady_clock::time_point begun;
  };
  std::deque<Submission> in_flight = {};  // oldest first
  std::chrono::steady_clock::time_point last_end{};
  // The device did not finish in time and may still write to its memory, so nothing is ever freed.
  bool is_stuck = false;
};

// The words of a shader's SPIR-V; empty if there is none for this format.
std::span<const std::uint32_t> spirv(Shader shader, std::uint32_t format) noexcept;

}  // namespace confab::kernels::vulkan
