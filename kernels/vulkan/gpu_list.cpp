// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "kernels/vulkan/gpu_state.h"
#include "kernels/vulkan/matrix_cores.h"

namespace confab::kernels::vulkan {
namespace {

// Shared memory per workgroup. Apple's processors and Mesa's lavapipe have this much.
constexpr std::uint32_t kSharedBytes = 32 << 10;

struct Features {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot{};
};

struct Properties {
  VkPhysicalDeviceProperties2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, nullptr, {}};
  VkPhysicalDeviceVulkan11Properties v11{};
  VkPhysicalDeviceVulkan12Properties v12{};
  VkPhysicalDeviceVulkan13Properties v13{};
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{};
  VkPhysicalDeviceSubgroupSizeControlProperties subgroups{};
};

std::vector<VkExtensionProperties> extensions_of(const InstanceApi& api, VkPhysicalDevice device) {
  std::uint32_t n = 0;
  if (api.vkEnumerateDeviceExtensionProperties(device, nullptr, &n, nullptr) != VK_SUCCESS)
    return {};
  std::vector<VkExtensionProperties> found(n);
  api.vkEnumerateDeviceExtensionProperties(device, nullptr, &n, found.data());
  return found;
}

bool has(const std::vector<VkExtensionProperties>& extensions, const char* name) {
  return std::ranges::any_of(extensions, [name](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

void read_features(const InstanceApi& api, VkPhysicalDevice device, Features& f) {
  f.core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  f.v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  f.v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  f.dot.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
  f.core.pNext = &f.v11;
  f.v11.pNext = &f.v12;
  f.v12.pNext = &f.dot;
  api.vkGetPhysicalDeviceFeatures2(device, &f.core);
}

void read_properties(const InstanceApi& api, const FoundGpu& found, Properties& p) {
  p.v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  p.v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  p.v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
  p.host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  p.subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  p.core.pNext = &p.v11;
  p.v11.pNext = &p.v12;
  if (found.has_subgroup_size_control) p.host.pNext = &p.subgroups;
  p.v13.pNext = found.has_host_import ? &p.host : p.host.pNext;
  p.v12.pNext = found.is_1_3 ? &p.v13 : p.v13.pNext;
  api.vkGetPhysicalDeviceProperties2(found.device, &p.core);
}

// The programs ask for whole subgroups of one size (gpu.cpp), and a workgroup may have only so
// many.
int most_invocations(const FoundGpu& found, const Properties& p) noexcept {
  const std::uint32_t most = p.core.properties.limits.maxComputeWorkGroupInvocations;
  const std::uint32_t subgroups = p.subgroups.maxComputeWorkgroupSubgroups;
  if (!found.has_subgroup_size_control) return static_cast<int>(most);
  return static_cast<int>(std::min(most, p.v11.subgroupSize * subgroups));
}

// The limit on allocations and, if known, on buffers. Drivers before 1.3 do not report the latter.
std::uint64_t most_at_once(const FoundGpu& found, const Properties& p) noexcept {
  const std::uint64_t memory = p.v11.maxMemoryAllocationSize;
  return found.is_1_3 ? std::min<std::uint64_t>(memory, p.v13.maxBufferSize) : memory;
}

std::string what_lacks(const Features& f, const Properties& p, bool has_dot, int n_workgroup_max) {
  constexpr VkSubgroupFeatureFlags kSubgroups = VK_SUBGROUP_FEATURE_BASIC_BIT |
                                                VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                                VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  if (p.core.properties.apiVersion < VK_API_VERSION_1_2)
    return "its driver is older than Vulkan 1.2";
  if (!f.v12.bufferDeviceAddress) return "its driver has no bufferDeviceAddress";
  if (!f.v12.scalarBlockLayout) return "its driver has no scalarBlockLayout";
  if (!f.v12.storageBuffer8BitAccess) return "its driver has no storageBuffer8BitAccess";
  if (!f.v11.storageBuffer16BitAccess) return "its driver has no storageBuffer16BitAccess";
  if (!f.core.features.shaderInt64) return "its driver has no shaderInt64";
  if (!has_dot || !f.dot.shaderIntegerDotProduct)
    return "its driver has no shaderIntegerDotProduct";
  if ((p.v11.subgroupSupportedOperations & kSubgroups) != kSubgroups)
    return "its driver has no subgroup arithmetic";
  if (n_workgroup_max < 256) return "its workgroups are smaller than 256";
  if (p.core.properties.limits.maxComputeSharedMemorySize < kSharedBytes)
    return "its workgroups share less than 32 KiB of memory";
  return {};
}

GpuInfo::Type type_of(VkPhysicalDeviceType type) noexcept {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return GpuInfo::Type::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return GpuInfo::Type::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return GpuInfo::Type::virtual_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return GpuInfo::Type::processor;
    default:
      return GpuInfo::Type::other;
  }
}

// Uses the largest heap that is local to the device.
void read_memory(const InstanceApi& api, VkPhysicalDevice device, bool budget, GpuInfo& info) {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budgets{};
  budgets.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  VkPhysicalDeviceMemoryProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  if (budget) properties.pNext = &budgets;
  api.vkGetPhysicalDeviceMemoryProperties2(device, &properties);
  const VkPhysicalDeviceMemoryProperties& memory = properties.memoryProperties;
  bool all_local = true;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    const bool local = (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
    all_local = all_local && local;
    if (!local || memory.memoryHeaps[i].size <= info.memory_bytes) continue;
    info.memory_bytes = memory.memoryHeaps[i].size;
    info.available_bytes = info.memory_bytes;
    if (!budget) continue;
    const std::uint64_t taken = std::min(budgets.heapUsage[i], budgets.heapBudget[i]);
    info.available_bytes = std::min(budgets.heapBudget[i] - taken, info.memory_bytes);
  }
  info.shares_memory =
      all_local || info.type == GpuInfo::Type::integrated || info.type == GpuInfo::Type::processor;
}

std::optional<std::uint32_t> compute_family(const InstanceApi& api, VkPhysicalDevice device,
                                            bool& has_timestamps) {
  std::uint32_t n = 0;
  api.vkGetPhysicalDeviceQueueFamilyProperties(device, &n, nullptr);
  std::vector<VkQueueFamilyProperties> families(n);
  api.vkGetPhysicalDeviceQueueFamilyProperties(device, &n, families.data());
  for (std::uint32_t i = 0; i < n; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    has_timestamps = families[i].timestampValidBits > 0;
    return i;
  }
  return std::nullopt;
}

bool takes_matrices(const Features& f) noexcept {
  return f.v12.vulkanMemoryModel && f.v12.vulkanMemoryModelDeviceScope && f.v12.shaderFloat16;
}

FoundGpu look_at(const InstanceApi& api, VkPhysicalDevice device) {
  const std::vector<VkExtensionProperties> extensions = extensions_of(api, device);
  FoundGpu found;
  found.device = device;
  found.has_host_import = has(extensions, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  found.has_portability_subset = has(extensions, "VK_KHR_portability_subset");
  Features f;
  Properties p;
  read_features(api, device, f);
  api.vkGetPhysicalDeviceProperties2(device, &p.core);
  found.is_1_3 = p.core.properties.apiVersion >= VK_API_VERSION_1_3;
  found.has_subgroup_size_control =
      found.is_1_3 || has(extensions, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  read_properties(api, found, p);
  const VkPhysicalDeviceProperties& core = p.core.properties;
  found.import_alignment = p.host.minImportedHostPointerAlignment;
  std::ranges::copy(core.limits.maxComputeWorkGroupCount, found.most_workgroups.begin());
  GpuInfo& info = found.info;
  info.name = core.deviceName;
  info.driver = std::string(p.v12.driverName) + ' ' + p.v12.driverInfo;
  info.type = type_of(core.deviceType);
  std::ranges::copy(p.v11.driverUUID, info.driver_uuid.begin());
  std::ranges::copy(p.v11.deviceUUID, info.device_uuid.begin());
  info.most_at_once_bytes = most_at_once(found, p);
  info.subgroup_size = static_cast<int>(p.v11.subgroupSize);
  info.n_workgroup_max = most_invocations(found, p);
  info.shared_bytes = core.limits.maxComputeSharedMemorySize;
  info.matrix_cores =
      takes_matrices(f) && has(extensions, kMatrixExtension) && multiplies_matrices(api, device);
  read_memory(api, device, has(extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME), info);
  info.lacks = what_lacks(
      f, p, found.is_1_3 || has(extensions, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME),
      info.n_workgroup_max);
  bool has_timestamps = false;
  const auto family = compute_family(api, device, has_timestamps);
  if (family) {
    found.queue_family = *family;
  } else if (info.lacks.empty()) {
    info.lacks = "it has no queue for computing";
  }
  found.timestamp_period = has_timestamps ? core.limits.timestampPeriod : 0;
  return found;
}

}  // namespace

std::vector<FoundGpu> find_gpus() {
  const InstanceApi* api = instance_api();
  if (api == nullptr) return {};
  std::uint32_t n = 0;
  if (api->vkEnumeratePhysicalDevices(api->instance, &n, nullptr) != VK_SUCCESS) return {};
  std::vector<VkPhysicalDevice> devices(n);
  if (api->vkEnumeratePhysicalDevices(api->instance, &n, devices.data()) < 0) return {};
  devices.resize(n);
  std::vector<FoundGpu> found;
  for (const VkPhysicalDevice device : devices) found.push_back(look_at(*api, device));
  std::ranges::stable_sort(found, [](const FoundGpu& a, const FoundGpu& b) {
    const auto rank = [](const FoundGpu& gpu) {
      return std::tuple(gpu.info.type == GpuInfo::Type::processor, -double(gpu.info.memory_bytes));
    };
    return rank(a) < rank(b);
  });
  for (std::size_t i = 0; i < found.size(); ++i) found[i].info.index = static_cast<int>(i);
  return found;
}

std::vector<GpuInfo> list_gpus() {
  std::vector<GpuInfo> infos;
  for (const FoundGpu& found : find_gpus()) infos.push_back(found.info);
  return infos;
}

}  // namespace confab::kernels::vulkan
