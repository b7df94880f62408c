// SPDX-License-Identifier: MIT
// Memory of both sides, as values.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/vulkan/gpu.h"

namespace confab::kernels::vulkan {

template <typename T>
std::span<T> values(const Buffer& buffer) {
  return {reinterpret_cast<T*>(buffer.data()), buffer.size() / sizeof(T)};
}

template <typename T>
Buffer buffer_of(Gpu& gpu, const std::vector<T>& content) {
  Buffer made = gpu.allocate(content.size() * sizeof(T), Memory::shared);
  std::ranges::copy(content, values<T>(made).begin());
  return made;
}

}  // namespace confab::kernels::vulkan
