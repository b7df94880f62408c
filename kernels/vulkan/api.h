// SPDX-License-Identifier: MIT
// The Vulkan loader. It is opened on first use, so that confab also runs on machines without it.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <cstdint>

// The functions that we use, grouped by the object that provides them.
#define CONFAB_VK_INSTANCE_FUNCTIONS(X)       \
  X(vkDestroyInstance)                        \
  X(vkEnumeratePhysicalDevices)               \
  X(vkGetPhysicalDeviceProperties2)           \
  X(vkGetPhysicalDeviceFeatures2)             \
  X(vkGetPhysicalDeviceMemoryProperties2)     \
  X(vkGetPhysicalDeviceQueueFamilyProperties) \
  X(vkEnumerateDeviceExtensionProperties)     \
  X(vkCreateDevice)                           \
  X(vkGetDeviceProcAddr)

#define CONFAB_VK_DEVICE_FUNCTIONS(X) \
  X(vkDestroyDevice)                  \
  X(vkGetDeviceQueue)                 \
  X(vkCreateBuffer)                   \
  X(vkDestroyBuffer)                  \
  X(vkGetBufferMemoryRequirements)    \
  X(vkBindBufferMemory)               \
  X(vkGetBufferDeviceAddress)         \
  X(vkAllocateMemory)                 \
  X(vkFreeMemory)                     \
  X(vkMapMemory)                      \
  X(vkCreateShaderModule)             \
  X(vkDestroyShaderModule)            \
  X(vkCreatePipelineLayout)           \
  X(vkDestroyPipelineLayout)          \
  X(vkCreateComputePipelines)         \
  X(vkDestroyPipeline)                \
  X(vkCreateCommandPool)              \
  X(vkDestroyCommandPool)             \
  X(vkAllocateCommandBuffers)         \
  X(vkFreeCommandBuffers)             \
  X(vkBeginCommandBuffer)             \
  X(vkEndCommandBuffer)               \
  X(vkCmdBindPipeline)                \
  X(vkCmdPushConstants)               \
  X(vkCmdDispatch)                    \
  X(vkCmdDispatchIndirect)            \
  X(vkCmdPipelineBarrier)             \
  X(vkCmdCopyBuffer)                  \
  X(vkCmdFillBuffer)                  \
  X(vkCreateQueryPool)                \
  X(vkDestroyQueryPool)               \
  X(vkCmdResetQueryPool)              \
  X(vkCmdWriteTimestamp)              \
  X(vkGetQueryPoolResults)            \
  X(vkCreateFence)                    \
  X(vkDestroyFence)                   \
  X(vkResetFences)                    \
  X(vkGetFenceStatus)                 \
  X(vkWaitForFences)                  \
  X(vkQueueSubmit)                    \
  X(vkDeviceWaitIdle)

namespace confab::kernels::vulkan {

struct InstanceApi {
  VkInstance instance = nullptr;
  PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;
#define CONFAB_VK_MEMBER(name) PFN_##name name = nullptr;
  CONFAB_VK_INSTANCE_FUNCTIONS(CONFAB_VK_MEMBER)
};

struct DeviceApi {
  CONFAB_VK_DEVICE_FUNCTIONS(CONFAB_VK_MEMBER)
  // From VK_EXT_external_memory_host; nullptr if the device does not have it.
  PFN_vkGetMemoryHostPointerPropertiesEXT vkGetMemoryHostPointerPropertiesEXT = nullptr;
#undef CONFAB_VK_MEMBER
};

// Returns the same instance every time. It lives as long as the process, because some drivers crash
// when an instance is destroyed. Returns nullptr if there is no loader or it is older than Vulkan
// 1.2. Thread-safe.
const InstanceApi* instance_api();

// Throws GpuError if the driver lacks one of the functions.
DeviceApi device_api(const InstanceApi& api, VkDevice device);

}  // namespace confab::kernels::vulkan
