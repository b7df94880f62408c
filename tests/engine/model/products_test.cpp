// SPDX-License-Identifier: MIT
#include "engine/model/products.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden_cases.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using testing::ElementsAre;

class ProductsTest : public testing::Test {
 protected:
  Plan plan() const { return {model_.hparams, model_.weights}; }

  TinyModelFile file_{{.n_layer = 2}};
  Model model_ = load_bare_model(file_.path());
};

TEST_F(ProductsTest, ComeInTheOrderOfARun) {
  std::vector<std::string> names;
  std::vector<std::int64_t> packed;
  for_each_product(plan(), [&](const Product& p) {
    if (p.il == 1) return;
    names.emplace_back(p.name);
    packed.push_back(p.n_packed);
  });
  EXPECT_THAT(names, ElementsAre("token_embd", "attn_q", "attn_k", "attn_v", "attn_output",
                                 "ffn_gate", "ffn_up", "ffn_down", "output"));
  EXPECT_THAT(packed, ElementsAre(0, 64, 64, 64, 64, 64, 64, 96, 64));
}

TEST_F(ProductsTest, NamesTheMatrixThatDoesNotFit) {
  EXPECT_EQ(misfit(plan()), "");
  model_.weights.layers[1].attn_k.n_rows = 31;
  EXPECT_EQ(misfit(plan()), "tensor blk.1.attn_k has shape [64, 31], expected [64, 32]");
  model_.weights.layers[0].ffn_down.rows.n_cols = 64;
  EXPECT_EQ(misfit(plan()), "tensor blk.0.ffn_down has shape [64, 64], expected [96, 64]");
  model_.weights.token_embd.n_rows = 299;
  EXPECT_EQ(misfit(plan()), "tensor token_embd has shape [64, 299], expected [64, 300]");
}

TEST_F(ProductsTest, NoHeadIsRotatedIntoItsNeighbour) {
  model_.hparams.ropes.push_back({.n_rot = 34});
  EXPECT_EQ(misfit(plan()), "");
  model_.hparams.layers[1].rope = 1;
  EXPECT_EQ(misfit(plan()),
            "layer 1 has heads of 32 values, but 34 of each are to be rotated "
            "(llama.rope.dimension_count)");
  model_.hparams.layers[1].rope = kNoRope;
  EXPECT_EQ(misfit(plan()), "");
}

class EveryProductTest : public testing::TestWithParam<GoldenCase> {};

// Whatever an architecture has: each tensor that is a matrix is in some product, as a whole.
TEST_P(EveryProductTest, AllMatricesOfAFileAreVisited) {
  const Model model = load_bare_model(GetParam().model().string());
  const Plan plan(model.hparams, model.weights);
  EXPECT_EQ(misfit(plan), "");
  std::vector<std::pair<const std::byte*, std::size_t>> visited;
  for_each_product(plan, [&](const Product& p) {
    const Matrix& m = p.matrix;
    visited.emplace_back(m.rows.data, m.rows.row_bytes * static_cast<std::size_t>(m.n_rows));
  });
  for (const GgufTensor& tensor : model.gguf.tensors()) {
    if (tensor.shape.size() < 2 || !tensor.name.ends_with(".weight") ||
        tensor.name.find("ssm_conv1d") != std::string_view::npos ||
        tensor.name.find("_norm.") != std::string_view::npos) {
      continue;
    }
    std::set<std::pair<const std::byte*, std::size_t>> parts;
    std::size_t n_bytes = 0;
    for (const auto& part : visited) {
      const bool inside =
          part.first >= tensor.data.data() && part.first < tensor.data.data() + tensor.data.size();
      if (inside && parts.insert(part).second) n_bytes += part.second;
    }
    EXPECT_EQ(n_bytes, tensor.data.size()) << tensor.name;
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryProductTest, testing::ValuesIn(golden_cases()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace confab::engine
