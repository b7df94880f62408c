// SPDX-License-Identifier: MIT
// A libvulkan.so.1 for LD_LIBRARY_PATH, in front of the real one, whose devices are hardware that
// goes wrong.
//
//   DEVICE_FAULT     what happens:
//                             lost       the device, with a submission
//                             gone       the device, while a submission is waited for: it was
//                                        reset, or the machine slept
//                             full       no memory for a submission
//                             taken      no memory to allocate: another program has it
//                             wrong      programs that are recorded do nothing
//                             interrupt  a person presses Ctrl+C with an allocation
//   DEVICE_FAULT_AT  from which submission, wait, allocation or program on, from 1
//   DEVICE_MOST      bytes that the driver gives at once, as it says
//   DEVICE_FREE      bytes that other programs have left of its memory (VK_EXT_memory_budget)
//   DEVICE_LOG       a file that each submission adds a "." to, each allocation an "a"
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace {

PFN_vkGetInstanceProcAddr real_get;
PFN_vkGetDeviceProcAddr real_get_of_device;
PFN_vkGetPhysicalDeviceProperties2 real_properties;
PFN_vkGetPhysicalDeviceMemoryProperties2 real_memory;
PFN_vkEnumerateDeviceExtensionProperties real_extensions;
PFN_vkQueueSubmit real_submit;
PFN_vkWaitForFences real_wait;
PFN_vkAllocateMemory real_allocate;
PFN_vkCmdDispatch real_dispatch;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Whether this call of those that count is one that goes wrong.
bool goes_wrong(const char* fault) {
  static const std::string wanted = variable("DEVICE_FAULT");
  static const long at = std::atol(variable("DEVICE_FAULT_AT").c_str());
  static long n = 0;
  return wanted == fault && ++n >= at;
}

void log(const char* what) {
  static const int file = open(variable("DEVICE_LOG").c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600);
  [[maybe_unused]] const ssize_t written = write(file, what, 1);
}

VkResult submit(VkQueue queue, std::uint32_t n, const VkSubmitInfo* infos, VkFence fence) {
  log(".");
  if (goes_wrong("lost")) return VK_ERROR_DEVICE_LOST;
  if (goes_wrong("full")) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return real_submit(queue, n, infos, fence);
}

VkResult wait(VkDevice device, std::uint32_t n, const VkFence* fences, VkBool32 all,
              std::uint64_t nanoseconds) {
  if (goes_wrong("gone")) return VK_ERROR_DEVICE_LOST;
  return real_wait(device, n, fences, all, nanoseconds);
}

// Where another thread takes signals, it has time to act.
void interrupt() {
  constexpr useconds_t kTime = 200'000;
  kill(getpid(), SIGINT);
  if (gettid() != getpid()) usleep(kTime);
}

VkResult allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                  const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  log("a");
  if (goes_wrong("interrupt")) interrupt();
  if (goes_wrong("taken")) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return real_allocate(device, info, callbacks, memory);
}

void dispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  if (!goes_wrong("wrong")) real_dispatch(commands, x, y, z);
}

void properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2* found) {
  real_properties(device, found);
  found->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  const std::string most = variable("DEVICE_MOST");
  for (auto* next = static_cast<VkBaseOutStructure*>(found->pNext);
       next != nullptr && !most.empty(); next = next->pNext)
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
      reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(next)->maxMemoryAllocationSize =
          std::stoull(most);
}

VkResult extensions(VkPhysicalDevice device, const char* layer, std::uint32_t* n,
                    VkExtensionProperties* found) {
  if (variable("DEVICE_FREE").empty()) return real_extensions(device, layer, n, found);
  const std::uint32_t n_room = *n;
  if (found != nullptr) --*n;
  const VkResult result = real_extensions(device, layer, n, found);
  if (found != nullptr && *n < n_room)
    std::strcpy(found[*n].extensionName, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  ++*n;
  return result;
}

void memory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2* found) {
  constexpr VkDeviceSize kUsed = 1 << 20;  // by this program
  const std::string free = variable("DEVICE_FREE");
  auto* budget = static_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(found->pNext);
  if (budget != nullptr && !free.empty()) found->pNext = nullptr;
  real_memory(device, found);
  if (budget == nullptr || free.empty()) return;
  found->pNext = budget;
  for (std::uint32_t i = 0; i < found->memoryProperties.memoryHeapCount; ++i) {
    budget->heapUsage[i] = kUsed;
    budget->heapBudget[i] = kUsed + std::stoull(free);
  }
}

template <typename Function>
PFN_vkVoidFunction in_front(PFN_vkVoidFunction real, Function& kept, Function own) {
  kept = reinterpret_cast<Function>(real);
  return reinterpret_cast<PFN_vkVoidFunction>(own);
}

PFN_vkVoidFunction get_of_device(VkDevice device, const char* name) {
  const PFN_vkVoidFunction real = real_get_of_device(device, name);
  if (std::strcmp(name, "vkQueueSubmit") == 0) return in_front(real, real_submit, submit);
  if (std::strcmp(name, "vkWaitForFences") == 0) return in_front(real, real_wait, wait);
  if (std::strcmp(name, "vkAllocateMemory") == 0) return in_front(real, real_allocate, allocate);
  if (std::strcmp(name, "vkCmdDispatch") == 0) return in_front(real, real_dispatch, dispatch);
  return real;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) PFN_vkVoidFunction vkGetInstanceProcAddr(
    VkInstance instance, const char* name) {
  if (real_get == nullptr)
    real_get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
        dlsym(dlopen(CONFAB_REAL_VULKAN, RTLD_NOW | RTLD_LOCAL), "vkGetInstanceProcAddr"));
  const PFN_vkVoidFunction real = real_get(instance, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0)
    return in_front(real, real_get_of_device, get_of_device);
  if (std::strcmp(name, "vkGetPhysicalDeviceProperties2") == 0)
    return in_front(real, real_properties, properties);
  if (std::strcmp(name, "vkGetPhysicalDeviceMemoryProperties2") == 0)
    return in_front(real, real_memory, memory);
  if (std::strcmp(name, "vkEnumerateDeviceExtensionProperties") == 0)
    return in_front(real, real_extensions, extensions);
  return real;
}
