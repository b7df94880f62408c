// SPDX-License-Identifier: MIT
// Matrix cores (VK_KHR_cooperative_matrix). Neither Debian's headers nor its glslc know the
// extension. Only kernels/vulkan includes this.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/vulkan/api.h"

namespace confab::kernels::vulkan {

class Gpu;

inline constexpr const char* kMatrixExtension = "VK_KHR_cooperative_matrix";

// VkPhysicalDeviceCooperativeMatrixFeaturesKHR (Vulkan's registry, vk.xml).
struct MatrixFeatures {
  VkStructureType s_type = static_cast<VkStructureType>(1000506000);
  void* next = nullptr;
  VkBool32 matrices = VK_FALSE;
  VkBool32 robust_access = VK_FALSE;
};

// Whether a subgroup of a device with the extension can multiply 16 by 16 matrices of f16 and sum
// in f32, as shaders/matmul_cores.comp does.
bool multiplies_matrices(const InstanceApi& api, VkPhysicalDevice device);

// Whether matrix elements are where shaders/fragments.glsl expects them; Vulkan leaves the layout
// to drivers. Tests it with a product (shaders/probe_cores.comp) on a device with matrix cores.
// Returns false if the test fails.
bool has_known_fragments(Gpu& gpu) noexcept;

// Returns the words of a module with its matrix types changed to the form of
// SPV_KHR_cooperative_matrix. glslc writes literal numbers where the extension wants identifiers:
// the bits of a float component (16 or 32), the scope, rows, columns and use. Also moves all scalar
// types to the front, because matrix types refer to them.
std::vector<std::uint32_t> with_matrix_types(std::span<const std::uint32_t> words);

}  // namespace confab::kernels::vulkan
