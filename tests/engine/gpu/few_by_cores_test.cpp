// SPDX-License-Identifier: MIT
// Products of a few rows of activations by matrix cores, of each number format by itself: where
// there is a device with them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "engine/cpu/feed_forward_regions.h"
#include "engine/gpu/pass_recorder.h"
#include "kernels/isa.h"
#include "tests/engine/gpu/self_test/bench.h"
#include "tests/kernels/testing.h"
#include "tests/kernels/vulkan/shared_values.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using kernels::vulkan::Buffer;
using kernels::vulkan::buffer_of;
using kernels::vulkan::Commands;
using kernels::vulkan::Gpu;
using kernels::vulkan::GpuInfo;
using kernels::vulkan::Memory;
using kernels::vulkan::Shader;
using Floats = std::vector<float>;

// Of a matrix; hidden rows need whole blocks, others no whole tiles of sixteen.
constexpr std::uint32_t kAllRows = 64, kSomeRows = 37;
constexpr float kAdded = 0.5F;

std::optional<GpuInfo> gpu_with_cores() {
  for (const GpuInfo& info : kernels::vulkan::list_gpus())
    if (info.lacks.empty() && info.matrix_cores) return info;
  return std::nullopt;
}

// n_tokens rows in all their forms, and what they stand for.
struct Activations {
  Activations(Bench& bench, std::size_t n)
      : memory(bench.gpu().allocate(10 * n, Memory::device)), base(memory.address()) {
    at = {.floats = base,
          .packed = {base + 4 * n, base + 5 * n, base + 6 * n},
          .halves = base + 8 * n};
    values = bench.put_activations(memory, at, n);
  }
  Buffer memory;
  std::uint64_t base;
  GpuActivations at;
  Floats values;
};

// A matrix on both sides, with a bias and a scale that make products about as large as 1.
struct TestedMatrix {
  TestedMatrix(Gpu& gpu, std::mt19937& rng, Dtype dtype, std::uint32_t columns)
      : n_cols(columns), weights(gpu, 0), values(std::size_t{kAllRows} * columns) {
    const std::vector<std::byte> bytes =
        kernels::testing::random_weights(rng, dtype, values.size());
    kernels::kernel_table(kernels::Isa::scalar)
        ->decode_row(dtype, bytes.data(), static_cast<std::int64_t>(values.size()), values.data());
    const double squares =
        std::inner_product(values.begin(), values.end(), values.begin(), 0.0) / kAllRows;
    for (std::size_t i = 0; i < kAllRows; ++i)
      bias.push_back(static_cast<float>(static_cast<int>(rng() % 65) - 32) / 64);
    on_device = weights.put(Matrix{.rows = {dtype, bytes.data(), columns, bytes.size() / kAllRows},
                                   .n_rows = kAllRows});
    on_device.scale = static_cast<float>(1 / std::sqrt(squares));
    on_device.bias = weights.put_copy(bias);
    weights.finish();
  }

  // [n_tokens, n_rows]
  Floats products(const Activations& x, std::uint32_t n_tokens, std::uint32_t n_rows) const {
    Floats all;
    for (std::uint32_t t = 0; t < n_tokens; ++t)
      for (std::uint32_t row = 0; row < n_rows; ++row) {
        double sum = 0;
        for (std::uint32_t c = 0; c < n_cols; ++c)
          sum += double{values[row * n_cols + c]} * double{x.values[t * n_cols + c]};
        all.push_back(static_cast<float>(sum) * on_device.scale +
                      (on_device.bias != 0 ? bias[row] : 0));
      }
    return all;
  }

  std::uint32_t n_cols;
  GpuWeights weights;
  Floats values, bias;
  GpuMatrix on_device;
};

class FewByCoresTest : public testing::TestWithParam<Dtype> {
 protected:
  void SetUp() override {
    const std::optional<GpuInfo> info = gpu_with_cores();
    if (!info) GTEST_SKIP() << "no graphics processor with matrix cores here";
    bench_.emplace(*info);
    if (!gpu().info().known_fragments) GTEST_SKIP() << "elements of its matrices lie elsewhere";
  }

  Gpu& gpu() { return bench_->gpu(); }

  // As many columns as there are rounds for all subgroups and a rest, where blocks allow no whole
  // quadruples of steps; of whole planes; and of one block.
  static std::vector<std::uint32_t> widths() {
    const auto block = std::max(32U, static_cast<std::uint32_t>(kernels::info(GetParam()).block));
    return {block * ((2272 / block) | 1U), 2048, block};
  }

  void run(const MatvecArguments& arguments, const GpuMatrix& m, std::uint32_t n_tokens,
           Store what) {
    const auto activation = static_cast<std::uint32_t>(Activation::silu);
    const std::uint32_t constants[] = {32 * cores_subgroups(m, what), n_tokens, 1,
                                       static_cast<std::uint32_t>(what), activation};
    Commands commands(gpu());
    commands.dispatch(gpu().program(Shader::matvec_cores, m.format, constants), arguments,
                      {count(arguments.n_rows, kCoresRows)});
    commands.end();
    gpu().run(commands);
  }

  void expect_near(const Floats& got, const Floats& want, const std::string& what) {
    EXPECT_LE(kernels::testing::nmse(got, want), 1e-5) << what;
  }

  void expect_products(const TestedMatrix& m, const Activations& x, std::uint32_t n_tokens,
                       const std::string& shape) {
    const Floats want = m.products(x, n_tokens, kSomeRows);
    for (const Store what : {Store::replaces, Store::adds}) {
      const Buffer out = buffer_of(gpu(), Floats(want.size(), 1));
      MatvecArguments arguments(m.on_device, 0);
      arguments.n_rows = kSomeRows;
      arguments.x.codes = x.at.halves;
      arguments.y.codes = out.address();
      arguments.added = kAdded;
      run(arguments, m.on_device, n_tokens, what);
      Floats expected = want;
      if (what == Store::adds)
        for (float& value : expected) value = 1 + kAdded * value;
      const auto got = kernels::vulkan::values<float>(out);
      expect_near({got.begin(), got.end()}, expected,
                  shape + (what == Store::adds ? " added" : ""));
    }
  }

  void expect_hidden(const TestedMatrix& gate, const TestedMatrix& up, const Activations& x,
                     std::uint32_t n_tokens, const std::string& shape) {
    Floats want = gate.products(x, n_tokens, kAllRows);
    const Floats of_up = up.products(x, n_tokens, kAllRows);
    activate(*kernels::kernel_table(kernels::Isa::scalar), Activation::silu, want.data(),
             of_up.data(), static_cast<std::int64_t>(want.size()));
    const Buffer out = buffer_of(gpu(), std::vector<std::uint16_t>(want.size()));
    MatvecArguments arguments(gate.on_device, 0);
    arguments.w2 = up.on_device.data;
    arguments.bias2 = up.on_device.bias;
    arguments.scale2 = up.on_device.scale;
    arguments.x.codes = x.at.halves;
    arguments.y.codes = out.address();
    run(arguments, up.on_device, n_tokens, Store::hidden);
    expect_near(bench_->get_halves(out, out.address(), want.size()), want, shape + " hidden");
  }

  std::mt19937 rng_{20261126};
  std::optional<Bench> bench_;
};

TEST_P(FewByCoresTest, ProductsAreThoseOfTheValues) {
  for (const std::uint32_t n_cols : widths()) {
    TestedMatrix gate(gpu(), rng_, GetParam(), n_cols), up(gpu(), rng_, GetParam(), n_cols);
    for (const bool has_bias : {true, false}) {
      if (!has_bias) gate.on_device.bias = up.on_device.bias = 0;
      for (const std::uint32_t n_tokens : {3, 4, 8, 9, 16}) {
        const std::string shape = fmt::format("{} rows of {}", n_tokens, n_cols);
        const Activations x(*bench_, std::size_t{n_tokens} * n_cols);
        expect_products(gate, x, n_tokens, shape);
        expect_hidden(gate, up, x, n_tokens, shape);
      }
    }
  }
}

// But F32, whose values f16 does not have.
std::vector<Dtype> formats() {
  std::vector<Dtype> all;
  for (std::uint32_t number = 0; !kernels::ggml_type_name(number).empty(); ++number) {
    const kernels::DtypeInfo* found = kernels::find_dtype(number);
    if (found != nullptr && found->dtype != Dtype::F32) all.push_back(found->dtype);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(, FewByCoresTest, testing::ValuesIn(formats()),
                         [](const testing::TestParamInfo<Dtype>& param_info) {
                           return std::string(kernels::info(param_info.param).name);
                         });

}  // namespace
}  // namespace confab::engine
