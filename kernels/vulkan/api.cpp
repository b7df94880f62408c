// SPDX-License-Identifier: MIT
#include "kernels/vulkan/api.h"

#include <dlfcn.h>

#include <array>
#include <string>
#include <vector>

#include "kernels/vulkan/gpu.h"

namespace confab::kernels::vulkan {
namespace {

#ifdef __APPLE__
constexpr std::array kLoaders{"libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib",
                              "/opt/homebrew/lib/libvulkan.1.dylib",
                              "/usr/local/lib/libvulkan.1.dylib"};
#else
constexpr std::array kLoaders{"libvulkan.so.1", "libvulkan.so"};
#endif

PFN_vkGetInstanceProcAddr open_loader() noexcept {
  for (const char* name : kLoaders) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    void* symbol = dlsym(library, "vkGetInstanceProcAddr");
    if (symbol != nullptr) return reinterpret_cast<PFN_vkGetInstanceProcAddr>(symbol);
    dlclose(library);
  }
  return nullptr;
}

template <typename Function>
Function global(PFN_vkGetInstanceProcAddr get, const char* name) {
  return reinterpret_cast<Function>(get(nullptr, name));
}

// Drivers that do not fully conform to Vulkan (MoltenVK) are only listed on request.
bool has_portability(PFN_vkGetInstanceProcAddr get) {
  const auto enumerate = global<PFN_vkEnumerateInstanceExtensionProperties>(
      get, "vkEnumerateInstanceExtensionProperties");
  std::uint32_t n = 0;
  if (enumerate == nullptr || enumerate(nullptr, &n, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> found(n);
  enumerate(nullptr, &n, found.data());
  for (const VkExtensionProperties& extension : found)
    if (std::string(extension.extensionName) == VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)
      return true;
  return false;
}

VkInstance make_instance(PFN_vkGetInstanceProcAddr get) {
  const auto version = global<PFN_vkEnumerateInstanceVersion>(get, "vkEnumerateInstanceVersion");
  const auto create = global<PFN_vkCreateInstance>(get, "vkCreateInstance");
  std::uint32_t found = 0;
  if (version == nullptr || create == nullptr || version(&found) != VK_SUCCESS) return nullptr;
  if (found < VK_API_VERSION_1_2) return nullptr;
  const bool portability = has_portability(get);
  const char* extension = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                      .pNext = nullptr,
                                      .pApplicationName = "confab",
                                      .applicationVersion = 1,
                                      .pEngineName = "confab",
                                      .engineVersion = 1,
                                      .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (portability) {
    info.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
  }
  VkInstance instance = nullptr;
  return create(&info, nullptr, &instance) == VK_SUCCESS ? instance : nullptr;
}

InstanceApi open_instance() {
  InstanceApi api;
  const PFN_vkGetInstanceProcAddr get = open_loader();
  if (get == nullptr) return api;
  const VkInstance instance = make_instance(get);
  if (instance == nullptr) return api;
  api.vkGetInstanceProcAddr = get;
  bool all = true;
#define CONFAB_VK_LOAD(name)                                     \
  api.name = reinterpret_cast<PFN_##name>(get(instance, #name)); \
  all = all && api.name != nullptr;
  CONFAB_VK_INSTANCE_FUNCTIONS(CONFAB_VK_LOAD)
#undef CONFAB_VK_LOAD
  if (all) api.instance = instance;
  return api;
}

}  // namespace

const InstanceApi* instance_api() {
  static const InstanceApi api = open_instance();
  return api.instance == nullptr ? nullptr : &api;
}

DeviceApi device_api(const InstanceApi& instance, VkDevice device) {
  DeviceApi api;
#define CONFAB_VK_LOAD(name)                                                            \
  api.name = reinterpret_cast<PFN_##name>(instance.vkGetDeviceProcAddr(device, #name)); \
  if (api.name == nullptr) throw GpuError(GpuError::Kind::unusable, "the driver has no " #name);
  CONFAB_VK_DEVICE_FUNCTIONS(CONFAB_VK_LOAD)
#undef CONFAB_VK_LOAD
  api.vkGetMemoryHostPointerPropertiesEXT =
      reinterpret_cast<PFN_vkGetMemoryHostPointerPropertiesEXT>(
          instance.vkGetDeviceProcAddr(device, "vkGetMemoryHostPointerPropertiesEXT"));
  return api;
}

}  // namespace confab::kernels::vulkan
