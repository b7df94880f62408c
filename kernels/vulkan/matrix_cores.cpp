// SPDX-License-Identifier: MIT
#include "kernels/vulkan/matrix_cores.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/vulkan/gpu.h"

namespace confab::kernels::vulkan {
namespace {

// VkCooperativeMatrixPropertiesKHR, and the values of VkComponentTypeKHR and VkScopeKHR that we
// look for (Vulkan's registry, vk.xml).
struct MatrixProperties {
  VkStructureType s_type = static_cast<VkStructureType>(1000506001);
  void* next = nullptr;
  std::uint32_t m = 0, n = 0, k = 0;
  std::int32_t a = 0, b = 0, c = 0, result = 0;
  VkBool32 saturates = VK_FALSE;
  std::int32_t scope = 0;
};
constexpr std::int32_t kFloat16 = 0, kFloat32 = 1, kSubgroup = 3;
using GetMatrixProperties = VkResult(VKAPI_PTR*)(VkPhysicalDevice, std::uint32_t*,
                                                 MatrixProperties*);

bool is_wanted(const MatrixProperties& p) noexcept {
  return p.m == 16 && p.n == 16 && p.k == 16 && p.a == kFloat16 && p.b == kFloat16 &&
         p.c == kFloat32 && p.result == kFloat32 && p.saturates == VK_FALSE && p.scope == kSubgroup;
}

// Opcodes and type numbers of SPIR-V (Khronos, SPIR-V Specification, "Instructions").
constexpr std::uint32_t kTypeInt = 21, kTypeFloat = 22, kConstant = 43, kTypeMatrix = 4456;
constexpr std::uint32_t kFirstType = 19, kLastType = 39;  // OpTypeVoid to OpTypeForwardPointer
constexpr std::size_t kHeader = 5, kBound = 3;

using Instruction = std::span<const std::uint32_t>;
std::uint32_t opcode(Instruction i) noexcept {
  return i[0] & 0xffffU;
}
bool is_scalar_type(Instruction i) noexcept {
  return opcode(i) == kTypeInt || opcode(i) == kTypeFloat;
}

std::vector<Instruction> instructions_of(std::span<const std::uint32_t> words) {
  std::vector<Instruction> all;
  for (std::size_t at = kHeader; at < words.size(); at += words[at] >> 16)
    all.push_back(words.subspan(at, words[at] >> 16));
  return all;
}

// Writes a module in which matrix types refer to identifiers.
class Typing {
 public:
  explicit Typing(std::span<const std::uint32_t> words)
      : all_(instructions_of(words)), words_(words.begin(), words.begin() + kHeader) {}

  std::vector<std::uint32_t> run() {
    bool begun = false;
    for (const Instruction& i : all_) {
      const bool is_type = opcode(i) >= kFirstType && opcode(i) <= kLastType;
      if (is_type && !begun) {
        begun = true;
        write_scalars();
      }
      if (is_scalar_type(i)) continue;
      if (opcode(i) == kTypeMatrix)
        write_matrix(i);
      else
        words_.insert(words_.end(), i.begin(), i.end());
    }
    return std::move(words_);
  }

 private:
  static constexpr std::array<std::uint32_t, 5> kNumbers = {0, 1, 2, 3, 16};

  void write(std::initializer_list<std::uint32_t> words) { words_.insert(words_.end(), words); }
  // Writes the module's scalar types, an f16 if it has none, and constants for the numbers in
  // matrix types.
  void write_scalars() {
    std::uint32_t u32 = 0;
    for (const Instruction& i : all_) {
      if (!is_scalar_type(i)) continue;
      words_.insert(words_.end(), i.begin(), i.end());
      if (opcode(i) == kTypeFloat && i[2] == 32) f32_ = i[1];
      if (opcode(i) == kTypeFloat && i[2] == 16) f16_ = i[1];
      if (opcode(i) == kTypeInt && i[2] == 32 && i[3] == 0) u32 = i[1];
    }
    if (f16_ == 0) {
      f16_ = words_[kBound]++;
      write({3U << 16 | kTypeFloat, f16_, 16});
    }
    for (std::size_t k = 0; k < kNumbers.size(); ++k) {
      constants_[k] = words_[kBound]++;
      write({4U << 16 | kConstant, u32, constants_[k], kNumbers[k]});
    }
  }
  void write_matrix(Instruction i) {
    write({i[0], i[1], i[2] == 16 ? f16_ : f32_});
    for (std::size_t k = 3; k < i.size(); ++k)
      words_.push_back(constants_[std::ranges::find(kNumbers, i[k]) - kNumbers.begin()]);
  }

  std::vector<Instruction> all_;
  std::vector<std::uint32_t> words_;
  std::array<std::uint32_t, 5> constants_{};
  std::uint32_t f16_ = 0, f32_ = 0;
};

}  // namespace

bool multiplies_matrices(const InstanceApi& api, VkPhysicalDevice device) {
  const auto get = reinterpret_cast<GetMatrixProperties>(
      api.vkGetInstanceProcAddr(api.instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  std::uint32_t n = 0;
  if (get == nullptr || get(device, &n, nullptr) != VK_SUCCESS) return false;
  std::vector<MatrixProperties> all(n);
  if (get(device, &n, all.data()) < 0) return false;
  return std::ranges::any_of(all, is_wanted);
}

bool has_known_fragments(Gpu& gpu) noexcept try {
  constexpr std::uint32_t kInvocations = 32;  // fragments.glsl assumes this subgroup size
  if (gpu.info().subgroup_size != static_cast<int>(kInvocations)) return false;
  const Buffer answer = gpu.allocate(sizeof(std::uint32_t), Memory::shared);
  std::uint32_t is_right = 0;
  std::memcpy(answer.data(), &is_right, sizeof is_right);
  Commands commands(gpu);
  commands.dispatch(gpu.program(Shader::probe_cores, 0, {&kInvocations, 1}), answer.address(), {});
  commands.end();
  gpu.run(commands);
  std::memcpy(&is_right, answer.data(), sizeof is_right);
  return is_right == 1;
} catch (const std::exception&) {
  return false;
}

std::vector<std::uint32_t> with_matrix_types(std::span<const std::uint32_t> words) {
  return Typing(words).run();
}

}  // namespace confab::kernels::vulkan
