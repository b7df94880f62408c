// SPDX-License-Identifier: MIT
// The programs' SPIR-V, as glslc makes it when the project is built.
#include "kernels/vulkan/gpu_state.h"

namespace confab::kernels::vulkan {
namespace {

constexpr std::uint32_t kActivate[] = {
#include "activate.inc"
};
constexpr std::uint32_t kAttention[] = {
#include "attention.inc"
};
constexpr std::uint32_t kAttentionJoin[] = {
#include "attention_join.inc"
};
constexpr std::uint32_t kEmbed[] = {
#include "embed.inc"
};
constexpr std::uint32_t kLogits[] = {
#include "logits.inc"
};
constexpr std::uint32_t kMatmul[] = {
#include "matmul.inc"
};
constexpr std::uint32_t kMatvec[] = {
#include "matvec.inc"
};
constexpr std::uint32_t kNorm[] = {
#include "norm.inc"
};
constexpr std::uint32_t kRopeAppend[] = {
#include "rope_append.inc"
};

}  // namespace

std::span<const std::uint32_t> spirv(Shader shader) noexcept {
  switch (shader) {
    case Shader::activate:
      return kActivate;
    case Shader::attention:
      return kAttention;
    case Shader::attention_join:
      return kAttentionJoin;
    case Shader::embed:
      return kEmbed;
    case Shader::logits:
      return kLogits;
    case Shader::matmul:
      return kMatmul;
    case Shader::matvec:
      return kMatvec;
    case Shader::norm:
      return kNorm;
    case Shader::rope_append:
      return kRopeAppend;
  }
  return {};
}

}  // namespace confab::kernels::vulkan
