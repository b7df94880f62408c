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
//   DEVICE_WRONG     the program_digest() of a program that does nothing, by its SPIR-V
//   DEVICE_CORES     1: there are matrix cores; programs that use them do nothing
//   DEVICE_MOST      bytes that the driver gives at once, as it says
//   DEVICE_FREE      bytes that other programs have left of its memory (VK_EXT_memory_budget)
//   DEVICE_LOG       a file that each submission adds a "." to, each allocation an "a"
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/faults/program_digest.h"

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
PFN_vkCmdDispatchIndirect real_dispatch_indirect;
PFN_vkCmdBindPipeline real_bind;
PFN_vkCreateShaderModule real_module;
PFN_vkCreateComputePipelines real_pipelines;
PFN_vkCreateDevice real_device;

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

std::set<VkShaderModule> wrong_modules;
std::set<VkPipeline> wrong_pipelines;
bool is_wrong_bound = false;

// What is destroyed leaves its handle to what is made next.
template <typename Handle>
void note(std::set<Handle>& wrong, Handle handle, bool is_wrong) {
  if (is_wrong)
    wrong.insert(handle);
  else
    wrong.erase(handle);
}

bool has_cores() {
  static const bool has = variable("DEVICE_CORES") == "1";
  return has;
}

// A program that returns at once, for the driver, which knows no matrix cores.
constexpr std::uint32_t kNothing[] = {
    0x07230203, 0x00010000, 0, 5,          0,         0x00020011, 1,          0x0003000e, 0, 1,
    0x0005000f, 5,          1, 0x6e69616d, 0,         0x00060010, 1,          17,         1, 1,
    1,          0x00020013, 2, 0x00030021, 3,         2,          0x00050036, 2,          1, 0,
    3,          0x000200f8, 4, 0x000100fd, 0x00010038};

// A capability comes before all else (SPIR-V 1.6, section 2.4): its own two words.
bool uses_cores(std::span<const std::uint32_t> words) {
  constexpr std::uint32_t kCapability = 17, kMatrices = 6022;
  for (std::size_t at = 5; at + 1 < words.size() && (words[at] & 0xffff) == kCapability; at += 2)
    if (words[at + 1] == kMatrices) return true;
  return false;
}

VkResult module(VkDevice device, const VkShaderModuleCreateInfo* info,
                const VkAllocationCallbacks* callbacks, VkShaderModule* made) {
  const std::span words(info->pCode, info->codeSize / sizeof(std::uint32_t));
  VkShaderModuleCreateInfo own = *info;
  if (uses_cores(words)) {
    own.pCode = kNothing;
    own.codeSize = sizeof kNothing;
  }
  const VkResult result = real_module(device, &own, callbacks, made);
  static const std::string wrong = variable("DEVICE_WRONG");
  if (result == VK_SUCCESS)
    note(wrong_modules, *made, std::to_string(confab::faults::program_digest(words)) == wrong);
  return result;
}

VkResult pipelines(VkDevice device, VkPipelineCache cache, std::uint32_t n,
                   const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* callbacks,
                   VkPipeline* made) {
  std::vector<VkComputePipelineCreateInfo> own(infos, infos + n);
  for (VkComputePipelineCreateInfo& info : own)
    if (has_cores()) {  // a size of subgroups that the driver has not
      info.stage.pNext = nullptr;
      info.stage.flags = 0;
    }
  const VkResult result = real_pipelines(device, cache, n, own.data(), callbacks, made);
  for (std::uint32_t i = 0; i < n; ++i)
    note(wrong_pipelines, made[i], wrong_modules.count(infos[i].stage.module) > 0);
  return result;
}

void bind(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline) {
  is_wrong_bound = wrong_pipelines.count(pipeline) > 0;
  real_bind(commands, point, pipeline);
}

void dispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  if (!goes_wrong("wrong") && !is_wrong_bound) real_dispatch(commands, x, y, z);
}

void dispatch_indirect(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset) {
  if (!goes_wrong("wrong") && !is_wrong_bound) real_dispatch_indirect(commands, buffer, offset);
}

constexpr const char* kMatrixExtension = "VK_KHR_cooperative_matrix";
constexpr std::int32_t kSubgroupScope = 3;
constexpr auto kMatrixFeatures = static_cast<VkStructureType>(1000506000);

// Those of confab's programs.
struct MatrixProperties {
  VkStructureType type;
  void* next;
  std::uint32_t m, n, k;
  std::int32_t a, b, c, result;
  VkBool32 saturates;
  std::int32_t scope;
};
VkResult matrices(VkPhysicalDevice, std::uint32_t* n, MatrixProperties* found) {
  *n = 1;
  if (found != nullptr)
    *found = {found->type, found->next, 16, 16, 16, 0, 0, 1, 1, VK_FALSE, kSubgroupScope};
  return VK_SUCCESS;
}

VkResult make_device(VkPhysicalDevice device, const VkDeviceCreateInfo* info,
                     const VkAllocationCallbacks* callbacks, VkDevice* made) {
  VkDeviceCreateInfo own = *info;
  std::vector<const char*> names;
  for (std::uint32_t i = 0; i < info->enabledExtensionCount; ++i)
    if (std::strcmp(info->ppEnabledExtensionNames[i], kMatrixExtension) != 0)
      names.push_back(info->ppEnabledExtensionNames[i]);
  own.enabledExtensionCount = static_cast<std::uint32_t>(names.size());
  own.ppEnabledExtensionNames = names.data();
  auto* first = static_cast<VkBaseOutStructure*>(const_cast<void*>(own.pNext));
  for (auto* at = first; at != nullptr && at->pNext != nullptr; at = at->pNext)
    if (at->pNext->sType == kMatrixFeatures) at->pNext = at->pNext->pNext;
  return real_device(device, &own, callbacks, made);
}

void properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2* found) {
  real_properties(device, found);
  found->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  auto* next = static_cast<VkBaseOutStructure*>(found->pNext);
  while (next != nullptr && next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
    next = next->pNext;
  if (next == nullptr) return;
  auto* v11 = reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(next);
  const std::string most = variable("DEVICE_MOST");
  if (!most.empty()) v11->maxMemoryAllocationSize = std::stoull(most);
  if (has_cores()) v11->subgroupSize = 32;
}

VkResult extensions(VkPhysicalDevice device, const char* layer, std::uint32_t* n,
                    VkExtensionProperties* found) {
  std::vector<const char*> added;
  if (!variable("DEVICE_FREE").empty()) added.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (has_cores()) added.push_back(kMatrixExtension);
  std::uint32_t n_real = 0;
  const VkResult result = real_extensions(device, layer, &n_real, nullptr);
  if (result != VK_SUCCESS) return result;
  std::vector<VkExtensionProperties> all(n_real);
  real_extensions(device, layer, &n_real, all.data());
  for (const char* name : added) {
    all.emplace_back();
    std::strcpy(all.back().extensionName, name);
  }
  const auto n_given = std::min(*n, static_cast<std::uint32_t>(all.size()));
  if (found != nullptr) std::copy_n(all.begin(), n_given, found);
  *n = found != nullptr ? n_given : static_cast<std::uint32_t>(all.size());
  return VK_SUCCESS;
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
  if (std::strcmp(name, "vkCmdDispatchIndirect") == 0)
    return in_front(real, real_dispatch_indirect, dispatch_indirect);
  if (std::strcmp(name, "vkCmdBindPipeline") == 0) return in_front(real, real_bind, bind);
  if (std::strcmp(name, "vkCreateShaderModule") == 0) return in_front(real, real_module, module);
  if (std::strcmp(name, "vkCreateComputePipelines") == 0)
    return in_front(real, real_pipelines, pipelines);
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
  if (!has_cores()) return real;
  if (std::strcmp(name, "vkCreateDevice") == 0) return in_front(real, real_device, make_device);
  if (std::strcmp(name, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(matrices);
  return real;
}
