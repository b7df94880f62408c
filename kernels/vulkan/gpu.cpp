// SPDX-License-Identifier: MIT
#include "kernels/vulkan/gpu.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "kernels/vulkan/gpu_state.h"
#include "kernels/vulkan/matrix_cores.h"

namespace confab::kernels::vulkan {
namespace {

// The longest time that the slowest device may take for a list of commands. Drivers kill lists that
// run for more than some seconds. A software renderer takes as long as the processor needs.
constexpr std::chrono::seconds kLongest{60}, kLongestOfSoftware{3600};

// The features that the programs need. what_lacks() has checked that they exist.
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
    v12.vulkanMemoryModelDeviceScope = VK_TRUE;  // if this is on, all other programs need it too
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

constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
    VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kMapped =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = kMapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

// The memory types that would do, best first.
std::vector<VkMemoryPropertyFlags> wishes(Memory memory) {
  switch (memory) {
    case Memory::device:
      return {kLocal};
    case Memory::shared:
      return {kLocal | kMapped, kMapped};
    case Memory::upload:
      return {kMapped};
    case Memory::readback:
      return {kCached, kMapped};
  }
  return {};
}

std::optional<std::uint32_t> memory_type(const GpuState& s, std::uint32_t bits,
                                         VkMemoryPropertyFlags wanted) {
  for (std::uint32_t i = 0; i < s.memory.memoryTypeCount; ++i)
    if ((bits >> i & 1) != 0 && (s.memory.memoryTypes[i].propertyFlags & wanted) == wanted)
      return i;
  return std::nullopt;
}

VkBuffer make_buffer(const GpuState& s, std::size_t n_bytes, const void* next) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = next;
  info.size = n_bytes;
  info.usage = kUsage;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  VkBuffer buffer = nullptr;
  check(s.api.vkCreateBuffer(s.device, &info, nullptr, &buffer), "vkCreateBuffer");
  return buffer;
}

VkResult take_memory(const GpuState& s, std::size_t n_bytes, std::uint32_t type, const void* next,
                     VkDeviceMemory& memory) {
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.pNext = next;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &flags;
  info.allocationSize = n_bytes;
  info.memoryTypeIndex = type;
  return s.api.vkAllocateMemory(s.device, &info, nullptr, &memory);
}

std::uint64_t address_of(const GpuState& s, VkBuffer buffer) {
  VkBufferDeviceAddressInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = buffer;
  return s.api.vkGetBufferDeviceAddress(s.device, &info);
}

VkDeviceMemory memory_for(const GpuState& s, Memory memory, const VkMemoryRequirements& needs) {
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  VkDeviceMemory taken = nullptr;
  for (const VkMemoryPropertyFlags wish : wishes(memory)) {
    const auto type = memory_type(s, needs.memoryTypeBits, wish);
    if (!type) continue;
    result = take_memory(s, needs.size, *type, nullptr, taken);
    if (result == VK_SUCCESS) break;
  }
  check(result, "vkAllocateMemory");
  return taken;
}

VkShaderModule make_module(const GpuState& s, std::span<const std::uint32_t> words) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  VkShaderModule module = nullptr;
  check(s.api.vkCreateShaderModule(s.device, &info, nullptr, &module), "vkCreateShaderModule");
  return module;
}

// After a header of five words, the high half of an instruction's first word is its length (SPIR-V
// 1.6, section 2.3).
int count_instructions(std::span<const std::uint32_t> words) noexcept {
  int n = 0;
  for (std::size_t at = 5; at < words.size() && words[at] >> 16 > 0; at += words[at] >> 16) ++n;
  return n;
}

std::vector<VkSpecializationMapEntry> entries_of(std::span<const std::uint32_t> constants) {
  std::vector<VkSpecializationMapEntry> entries;
  for (std::uint32_t i = 0; i < constants.size(); ++i)
    entries.push_back(
        {i, i * static_cast<std::uint32_t>(sizeof(std::uint32_t)), sizeof(std::uint32_t)});
  return entries;
}

VkPipeline make_pipeline(const GpuState& s, VkShaderModule module,
                         std::span<const std::uint32_t> constants) {
  const std::vector<VkSpecializationMapEntry> entries = entries_of(constants);
  const VkSpecializationInfo specialization{static_cast<std::uint32_t>(entries.size()),
                                            entries.data(), constants.size_bytes(),
                                            constants.data()};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{};
  subgroup.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  subgroup.requiredSubgroupSize = static_cast<std::uint32_t>(s.found.info.subgroup_size);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  if (s.found.has_subgroup_size_control) {
    info.stage.pNext = &subgroup;
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  info.layout = s.layout;
  VkPipeline pipeline = nullptr;
  const VkResult result =
      s.api.vkCreateComputePipelines(s.device, nullptr, 1, &info, nullptr, &pipeline);
  s.api.vkDestroyShaderModule(s.device, module, nullptr);
  check(result, "vkCreateComputePipelines");
  return pipeline;
}

using Submission = GpuState::Submission;

std::chrono::nanoseconds passed(const Submission& submission) {
  return std::chrono::steady_clock::now() - submission.begun;
}

// Polls around the time when the end is expected. A thread that sleeps until the driver wakes it is
// at least a tenth of a millisecond late, a twentieth of the time a small model takes for a token.
ExpectedEnd::How await_soon(const GpuState& s, const Submission& submission, const ExpectedEnd& end,
                            std::chrono::nanoseconds& first_look) {
  using How = ExpectedEnd::How;
  // do not take time from the renderer
  if (s.found.info.type == GpuInfo::Type::processor) return How::told;
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

void Buffer::swap(Buffer& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(buffer_, other.buffer_);
  std::swap(memory_, other.memory_);
  std::swap(data_, other.data_);
  std::swap(address_, other.address_);
  std::swap(n_bytes_, other.n_bytes_);
}

Buffer::~Buffer() {
  if (gpu_ == nullptr || gpu_->is_stuck) return;
  gpu_->api.vkDestroyBuffer(gpu_->device, static_cast<VkBuffer>(buffer_), nullptr);
  gpu_->api.vkFreeMemory(gpu_->device, static_cast<VkDeviceMemory>(memory_), nullptr);
}

Buffer Gpu::allocate(std::size_t n_bytes, Memory memory) {
  GpuState& s = *state_;
  Buffer made;
  made.gpu_ = &s;
  made.n_bytes_ = std::max<std::size_t>(n_bytes, 16);
  const VkBuffer buffer = make_buffer(s, made.n_bytes_, nullptr);
  made.buffer_ = buffer;
  VkMemoryRequirements needs{};
  s.api.vkGetBufferMemoryRequirements(s.device, buffer, &needs);
  const VkDeviceMemory taken = memory_for(s, memory, needs);
  made.memory_ = taken;
  check(s.api.vkBindBufferMemory(s.device, buffer, taken, 0), "vkBindBufferMemory");
  made.address_ = address_of(s, buffer);
  if (memory == Memory::device) return made;
  void* data = nullptr;
  check(s.api.vkMapMemory(s.device, taken, 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
  made.data_ = static_cast<std::byte*>(data);
  return made;
}

Buffer Gpu::import(std::span<const std::byte> bytes) noexcept try {
  GpuState& s = *state_;
  if (s.api.vkGetMemoryHostPointerPropertiesEXT == nullptr || s.found.import_alignment == 0)
    return {};
  constexpr auto kHandle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  const std::uint64_t alignment = s.found.import_alignment;
  const std::size_t before = reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment;
  const std::size_t whole = (before + bytes.size() + alignment - 1) / alignment * alignment;
  if (whole > s.found.info.most_at_once_bytes) return {};
  auto* pointer = const_cast<std::byte*>(bytes.data()) - before;
  VkMemoryHostPointerPropertiesEXT properties{};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  if (s.api.vkGetMemoryHostPointerPropertiesEXT(s.device, kHandle, pointer, &properties) !=
      VK_SUCCESS)
    return {};
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kHandle;
  Buffer made;
  made.gpu_ = &s;
  made.n_bytes_ = bytes.size();
  const VkBuffer buffer = make_buffer(s, whole, &external);
  made.buffer_ = buffer;
  VkMemoryRequirements needs{};
  s.api.vkGetBufferMemoryRequirements(s.device, buffer, &needs);
  const auto type = memory_type(s, needs.memoryTypeBits & properties.memoryTypeBits, 0);
  if (!type) return {};
  VkImportMemoryHostPointerInfoEXT imported{};
  imported.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  imported.handleType = kHandle;
  imported.pHostPointer = pointer;
  VkDeviceMemory memory = nullptr;
  if (take_memory(s, whole, *type, &imported, memory) != VK_SUCCESS) return {};
  made.memory_ = memory;
  if (s.api.vkBindBufferMemory(s.device, buffer, memory, 0) != VK_SUCCESS) return {};
  made.address_ = address_of(s, buffer) + before;
  return made;
} catch (const GpuError&) {
  return {};
}

bool has_format(std::uint32_t format) noexcept {
  return !spirv(Shader::matvec, format).empty();
}

const Program& Gpu::program(Shader shader, std::uint32_t format,
                            std::span<const std::uint32_t> constants) {
  GpuState& s = *state_;
  std::tuple key(shader, format, std::vector<std::uint32_t>(constants.begin(), constants.end()));
  const auto found = s.programs.find(key);
  if (found != s.programs.end()) return found->second;
  const std::span<const std::uint32_t> words = spirv(shader, format);
  assert(!words.empty());
  const VkShaderModule module =
      has_matrices(shader) ? make_module(s, with_matrix_types(words)) : make_module(s, words);
  const Program made{make_pipeline(s, module, constants), shader, format,
                     count_instructions(words)};
  return s.programs.emplace(std::move(key), made).first->second;
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

void Gpu::wait() {
  GpuState& s = *state_;
  if (s.in_flight.empty()) return;
  Submission submission = s.in_flight.front();
  // A list that waited behind another has only run since that one ended.
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
    s.api.vkDeviceWaitIdle(s.device);  // so that nothing reads memory that is freed next
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
    } catch (const GpuError&) {  // the caller has already seen the first error
    }
  }
}

void Gpu::run(const Commands& commands) {
  submit(commands);
  wait();
}

}  // namespace confab::kernels::vulkan
