// SPDX-License-Identifier: MIT
#include <cassert>

#include "kernels/vulkan/gpu_state.h"
#include "kernels/vulkan/matrix_cores.h"

namespace confab::kernels::vulkan {
namespace {

VkShaderModule make_module(const GpuState& s, std::span<const std::uint32_t> words) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  VkShaderModule module = nullptr;
  check(s.api.vkCreateShaderModule(s.device, &info, nullptr, &module), "vkCreateShaderModule");
  return module;
}

// After a header of five words, the high half of an instruction's first word is its length
// (SPIR-V 1.6, section 2.3).
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

}  // namespace

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

}  // namespace confab::kernels::vulkan
