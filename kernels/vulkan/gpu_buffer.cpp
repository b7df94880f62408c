// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/vulkan/gpu_state.h"

namespace confab::kernels::vulkan {
namespace {

constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
    VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kMapped =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = kMapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

// What would do, best first.
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

}  // namespace

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

}  // namespace confab::kernels::vulkan
