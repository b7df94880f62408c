// SPDX-License-Identifier: MIT
// Matrix cores (VK_KHR_cooperative_matrix), which neither Debian's headers nor its glslc know; only
// kernels/vulkan includes this.
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

// Whether a subgroup of a device with the extension multiplies 16 by 16 matrices of f16, summed in
// f32, as shaders/matmul_cores.comp does.
bool multiplies_matrices(const InstanceApi& api, VkPhysicalDevice device);

// Whether the elements of matrices are where shaders/fragments.glsl has them, which Vulkan leaves
// to drivers. Asks a device with matrix cores by a product (shaders/probe_cores.comp); where that
// fails, they are not.
bool has_known_fragments(Gpu& gpu) noexcept;

// The words of a module, with the types of matrices as SPV_KHR_cooperative_matrix has them. glslc
// writes numbers where these have identifiers: the bits of a component (16 or 32, of a float), the
// scope, rows, columns and use. All scalar types come to the front, where those of matrices find
// them.
std::vector<std::uint32_t> with_matrix_types(std::span<const std::uint32_t> words);

}  // namespace confab::kernels::vulkan
