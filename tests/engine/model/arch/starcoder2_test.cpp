// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/engine/cpu/reference_forward.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/error_of.h"
#include "tests/engine/golden.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

GgufWriter starcoder() {
  return tiny_model(
      {.architecture = "starcoder2", .biases = true, .layer_norms = true, .gated = false});
}

class StarCoder2Test : public testing::TestWithParam<const kernels::KernelTable*> {
 protected:
  std::string path() const { return folder_ / "m.gguf"; }
  TemporaryFolder folder_;
};

// In float64, as the paper and transformers' modeling_starcoder2.py have it.
TEST_P(StarCoder2Test, AgreesWithTheReference) {
  const std::vector<Token> tokens = some_tokens(48, 7);
  for (const std::uint32_t window : {16U, 4096U}) {
    starcoder().add("starcoder2.attention.sliding_window", window).write(path());
    const Model model = load_bare_model(path());
    const std::vector<double> want = ReferenceForward(model.gguf).run(tokens);
    const std::vector<float> got = run_model(model, tokens, {.table = GetParam()}, {29, 1});
    const Difference d = difference(std::span<const float>(got), std::span<const double>(want));
    EXPECT_LE(d.nmse, 1e-10) << window;
    EXPECT_LE(d.max_abs, 5e-4) << window;
  }
}
INSTANTIATE_TEST_SUITE_P(Isa, StarCoder2Test, all_tables(), table_name);

TEST_P(StarCoder2Test, EveryLayerHasTheWindowOfThePublishedModels) {
  starcoder().write(path());
  for (const LayerHparams& layer : Hparams::load(Gguf(path())).layers)
    EXPECT_EQ(layer.window, 4096);
}

TEST_P(StarCoder2Test, BiasesOfNormsMustBeThere) {
  GgufWriter writer = starcoder();
  std::erase_if(writer.tensors(), [](const auto& t) { return t.name == "blk.1.ffn_norm.bias"; });
  writer.write(path());
  EXPECT_EQ(error_of([&] { load_bare_model(path()); }),
            path() + ": tensor blk.1.ffn_norm.bias is missing");
}

}  // namespace
}  // namespace confab::engine
