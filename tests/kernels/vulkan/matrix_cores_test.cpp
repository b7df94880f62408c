// SPDX-License-Identifier: MIT
#include "kernels/vulkan/matrix_cores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/vulkan/gpu_state.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::kernels::vulkan {
namespace {

using Instruction = std::vector<std::uint32_t>;  // without its first word
using Module = std::vector<std::pair<std::uint32_t, Instruction>>;

constexpr std::uint32_t kTypeInt = 21, kTypeFloat = 22, kConstant = 43, kTypeMatrix = 4456;

Module read(std::span<const std::uint32_t> words) {
  Module module;
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const auto rest = words.subspan(at + 1, (words[at] >> 16) - 1);
    module.emplace_back(words[at] & 0xffffU, Instruction(rest.begin(), rest.end()));
  }
  return module;
}

// What types and constants have been seen, by their identifiers.
struct Seen {
  std::map<std::uint32_t, std::uint32_t> float_bits, values;

  void take(std::uint32_t opcode, const Instruction& i) {
    if (opcode == kTypeFloat) float_bits[i[0]] = i[1];
    if (opcode == kConstant && i.size() == 3) values[i[1]] = i[2];
  }
};

class MatrixCoresTest : public ::testing::TestWithParam<std::pair<Shader, std::uint32_t>> {
 protected:
  static std::span<const std::uint32_t> words() {
    return spirv(GetParam().first, GetParam().second);
  }
};

TEST_P(MatrixCoresTest, NamesWhatTypesOfMatricesAreMadeOf) {
  const auto words = MatrixCoresTest::words();
  if (words.empty()) GTEST_SKIP() << "built without Vulkan";
  const std::vector<std::uint32_t> typed = with_matrix_types(words);
  Seen seen;
  std::set<std::uint32_t> uses;
  for (const auto& [opcode, i] : read(typed)) {
    seen.take(opcode, i);
    if (opcode != kTypeMatrix) continue;
    ASSERT_EQ(i.size(), 6U);
    for (const std::size_t operand : {2, 3, 4, 5})
      ASSERT_TRUE(seen.values.contains(i[operand])) << "an identifier that is not there yet";
    const std::uint32_t use = seen.values[i[5]];
    EXPECT_EQ(seen.float_bits[i[1]], use == 2 ? 32U : 16U);
    EXPECT_EQ(seen.values[i[2]], 3U);  // a subgroup's
    EXPECT_EQ(seen.values[i[3]], 16U);
    EXPECT_EQ(seen.values[i[4]], 16U);
    uses.insert(use);
  }
  EXPECT_EQ(uses, (std::set<std::uint32_t>{0, 1, 2}));
}

TEST_P(MatrixCoresTest, LeavesAllElseAsItWas) {
  const auto words = MatrixCoresTest::words();
  if (words.empty()) GTEST_SKIP() << "built without Vulkan";
  const std::vector<std::uint32_t> typed = with_matrix_types(words);
  const auto rest_of = [bound = words[3]](std::span<const std::uint32_t> all) {
    Module module = read(all);
    std::erase_if(module, [bound](const auto& i) {
      const auto& [opcode, operands] = i;
      return opcode == kTypeMatrix || opcode == kTypeInt || opcode == kTypeFloat ||
             (opcode == kConstant && operands[1] >= bound);
    });
    return module;
  };
  EXPECT_EQ(rest_of(typed), rest_of(words));
  EXPECT_GT(typed[3], words[3]);  // the bound of identifiers
}

std::vector<std::pair<Shader, std::uint32_t>> programs() {
  std::vector<std::pair<Shader, std::uint32_t>> all{{Shader::probe_cores, 0}};
  for (const Shader shader : {Shader::matmul_cores, Shader::matvec_cores})
    for (const std::uint32_t format : {1U, 8U, 12U, 264U, 270U}) all.emplace_back(shader, format);
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Programs, MatrixCoresTest, ::testing::ValuesIn(programs()),
    [](const ::testing::TestParamInfo<MatrixCoresTest::ParamType>& param_info) {
      return std::string(name(param_info.param.first)) + '_' +
             std::to_string(param_info.param.second);
    });

// That they are nowhere where a program does nothing: tests/faults/programs_test.cpp.
TEST(MatrixFragmentsTest, AreKnownOfOpenDevicesWithMatrixCoresAlone) {
  CONFAB_NEEDS_GPU();
  for (GpuInfo info : list_gpus()) {
    EXPECT_FALSE(info.known_fragments);
    if (!info.lacks.empty()) continue;
    info.matrix_cores = false;
    EXPECT_FALSE(Gpu(info).info().known_fragments) << info.name;
  }
}

}  // namespace
}  // namespace confab::kernels::vulkan
