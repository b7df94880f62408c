// SPDX-License-Identifier: MIT
#include "kernels/vulkan/gpu.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "kernels/vulkan/gpu_state.h"
#include "kernels/vulkan/matrix_cores.h"

namespace confab::kernels::vulkan {
namespace {

// What the slowest device may take for a list of commands. Drivers end what takes longer than some
// seconds; a software renderer has all the time that a processor needs.
constexpr std::chrono::seconds kLongest{60}, kLongestOfSoftware{3600};

// What the programs need, as what_lacks() has asked for it.
struct WantedFeatures {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot{};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroups{};
  MatrixFeatures matrices{};

  explicit WantedFeatures(const FoundGpu& found) {
    core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    core.features.shaderInt64 = VK_TRUE;
    v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    v11.storageBuffer16BitAccess = VK_TRUE;
    v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    v12.storageBuffer8BitAccess = VK_TRUE;
    v12.scalarBlockLayout = VK_TRUE;
    v12.bufferDeviceAddress = VK_TRUE;
    dot.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
    dot.shaderIntegerDotProduct = VK_TRUE;
    subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
    subgroups.computeFullSubgroups = VK_TRUE;
    subgroups.subgroupSizeControl = VK_TRUE;
    core.pNext = &v11;
    v11.pNext = &v12;
    v12.pNext = &dot;
    if (found.has_subgroup_size_control) dot.pNext = &subgroups;
    if (!found.info.matrix_cores) return;
    v12.shaderFloat16 = VK_TRUE;
    v12.vulkanMemoryModel = VK_TRUE;
    v12.vulkanMemoryModelDeviceScope = VK_TRUE;  // then the other programs need it
    matrices.matrices = VK_TRUE;
    matrices.next = core.pNext;
    core.pNext = &matrices;
  }
};

std::vector<const char*> wanted_extensions(const FoundGpu& found) {
  std::vector<const char*> names;
  if (found.has_host_import) names.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (found.has_portability_subset) names.push_back("VK_KHR_portability_subset");
  if (found.info.matrix_cores) names.push_back(kMatrixExtension);
  if (!found.is_1_3) {
    names.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
    if (found.has_subgroup_size_control)
      names.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  }
  return names;
}

VkDevice make_device(const InstanceApi& api, const FoundGpu& found) {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = found.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const WantedFeatures features(found);
  const std::vector<const char*> extensions = wanted_extensions(found);
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkDevice device = nullptr;
  check(api.vkCreateDevice(found.device, &info, nullptr, &device), "vkCreateDevice");
  return device;
}

VkPipelineLayout make_layout(const GpuState& s) {
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout = nullptr;
  check(s.api.vkCreatePipelineLayout(s.device, &info, nullptr, &layout), "vkCreatePipelineLayout");
  return layout;
}

void open(GpuState& s, const InstanceApi& api) {
  s.device = make_device(api, s.found);
  s.api = device_api(api, s.device);
  s.api.vkGetDeviceQueue(s.device, s.found.queue_family, 0, &s.queue);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = s.found.queue_family;
  check(s.api.vkCreateCommandPool(s.device, &pool, nullptr, &s.pool), "vkCreateCommandPool");
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  for (int i = 0; i < Gpu::kMostInFlight; ++i) {
    s.free_fences.push_back(nullptr);
    check(s.api.vkCreateFence(s.device, &fence, nullptr, &s.free_fences.back()), "vkCreateFence");
  }
  s.layout = make_layout(s);
  VkPhysicalDeviceMemoryProperties2 memory{};
  memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  api.vkGetPhysicalDeviceMemoryProperties2(s.found.device, &memory);
  s.memory = memory.memoryProperties;
}

}  // namespace

void check(VkResult result, const char* call) {
  if (result == VK_SUCCESS) return;
  const std::string message = std::string(call) + " failed with " + std::to_string(result);
  switch (result) {
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_FRAGMENTATION:
    case VK_ERROR_TOO_MANY_OBJECTS:
      throw GpuError(GpuError::Kind::out_of_memory,
                     "the graphics processor has no memory left (" + std::string(call) + ')');
    case VK_ERROR_DEVICE_LOST:
      throw GpuError(GpuError::Kind::lost,
                     "the graphics processor was lost (" + std::string(call) + ')');
    default:
      throw GpuError(GpuError::Kind::unusable, message);
  }
}

Gpu::Gpu(const GpuInfo& info) : state_(std::make_unique<GpuState>()) {
  const InstanceApi* api = instance_api();
  for (const FoundGpu& found : find_gpus())
    if (found.info.index == info.index) state_->found = found;
  if (api == nullptr || state_->found.device == nullptr)
    throw GpuError(GpuError::Kind::unusable, info.name + " is not there any more");
  if (!state_->found.info.lacks.empty())
    throw GpuError(GpuError::Kind::unusable, info.name + ": " + state_->found.info.lacks);
  GpuInfo& own = state_->found.info;
  own.matrix_cores = own.matrix_cores && info.matrix_cores;
  open(*state_, *api);
  own.known_fragments = own.matrix_cores && has_known_fragments(*this);
}

Gpu::~Gpu() {
  GpuState& s = *state_;
  if (s.device == nullptr || s.is_stuck) return;
  s.api.vkDeviceWaitIdle(s.device);
  for (const GpuState::Submission& submission : s.in_flight)
    s.free_fences.push_back(submission.fence);
  for (const auto& [key, program] : s.programs)
    s.api.vkDestroyPipeline(s.device, static_cast<VkPipeline>(program.pipeline), nullptr);
  s.api.vkDestroyPipelineLayout(s.device, s.layout, nullptr);
  for (const VkFence fence : s.free_fences) s.api.vkDestroyFence(s.device, fence, nullptr);
  s.api.vkDestroyCommandPool(s.device, s.pool, nullptr);
  s.api.vkDestroyDevice(s.device, nullptr);
}

const GpuInfo& Gpu::info() const noexcept {
  return state_->found.info;
}

void Gpu::submit(const Commands& commands) {
  GpuState& s = *state_;
  if (s.is_stuck || s.free_fences.empty())
    throw GpuError(GpuError::Kind::lost, "the graphics processor has not ended what it was given");
  const auto buffer = static_cast<VkCommandBuffer>(commands.commands_);
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &buffer;
  const VkFence fence = s.free_fences.back();
  check(s.api.vkQueueSubmit(s.queue, 1, &info, fence), "vkQueueSubmit");
  s.free_fences.pop_back();
  s.in_flight.push_back({&commands, fence, std::chrono::steady_clock::now()});
}

namespace {

using Submission = GpuState::Submission;

std::chrono::nanoseconds passed(const Submission& submission) {
  return std::chrono::steady_clock::now() - submission.begun;
}

// Looks for the end where it is expected. A thread that sleeps until the driver wakes it is a tenth
// of a millisecond late, or more: a twentieth of what a small model takes for a token.
ExpectedEnd::How await_soon(const GpuState& s, const Submission& submission, const ExpectedEnd& end,
                            std::chrono::nanoseconds& first_look) {
  using How = ExpectedEnd::How;
  if (s.found.info.type == GpuInfo::Type::processor) return How::told;  // which needs its time
  std::this_thread::sleep_until(submission.begun + end.from());
  first_look = passed(submission);
  const auto is_running = [&s, &submission] {
    return s.api.vkGetFenceStatus(s.device, submission.fence) == VK_NOT_READY;
  };
  if (!is_running()) return How::late;
  while (passed(submission) < end.until())
    if (!is_running()) return How::looking;
  return How::told;
}

}  // namespace

void Gpu::wait() {
  GpuState& s = *state_;
  if (s.in_flight.empty()) return;
  Submission submission = s.in_flight.front();
  // One that waited for the list before it has run since that ended.
  submission.begun = std::max(submission.begun, s.last_end);
  std::chrono::nanoseconds first_look{0};
  const ExpectedEnd::How how = await_soon(s, submission, submission.commands->end_, first_look);
  const std::chrono::nanoseconds longest =
      s.found.info.type == GpuInfo::Type::processor ? kLongestOfSoftware : kLongest;
  const VkResult result = s.api.vkWaitForFences(s.device, 1, &submission.fence, VK_TRUE,
                                                static_cast<std::uint64_t>(longest.count()));
  if (result == VK_TIMEOUT) {
    s.is_stuck = true;
    throw GpuError(GpuError::Kind::lost,
                   "the graphics processor has not ended a pass within a minute");
  }
  if (result != VK_SUCCESS) {
    s.api.vkDeviceWaitIdle(s.device);  // nothing reads what is freed next
    for (const Submission& other : s.in_flight) s.free_fences.push_back(other.fence);
    s.in_flight.clear();
  }
  check(result, "vkWaitForFences");
  s.in_flight.pop_front();
  s.free_fences.push_back(submission.fence);
  s.last_end = std::chrono::steady_clock::now();
  check(s.api.vkResetFences(s.device, 1, &submission.fence), "vkResetFences");
  submission.commands->end_.seen(passed(submission), first_look, how);
}

void Gpu::drain() noexcept {
  while (!state_->in_flight.empty() && !state_->is_stuck) {
    try {
      wait();
    } catch (const GpuError&) {  // who asked for it has been told of the first one
    }
  }
}

void Gpu::run(const Commands& commands) {
  submit(commands);
  wait();
}

}  // namespace confab::kernels::vulkan
