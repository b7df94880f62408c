// SPDX-License-Identifier: MIT
// Families with more than attention and a feed-forward: folders made of golden models against the
// logits that the reference gave for these.
#include "engine/safetensors/family_config.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/safetensors/model_folder.h"
#include "tests/engine/error_of.h"
#include "tests/engine/safetensors/golden_families.h"
#include "tests/engine/safetensors/twin_logits.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

constexpr double kNmse = 1e-10;  // of the golden data's README
constexpr double kMaxAbs = 5e-4;

class FamilyFidelityTest : public testing::TestWithParam<golden::Family> {
 protected:
  FamilyFidelityTest() : golden_(golden_case(GetParam().golden)) {
    golden::write_family(dir_, GetParam());
  }
  std::vector<float> logits(Gguf gguf) const {
    Hparams hparams = Hparams::load(gguf);
    Weights weights = Weights::load(gguf, hparams);
    const Model model{std::move(gguf), std::move(hparams), std::move(weights), nullptr};
    return run_model(model, golden_.tokens(), {}, {40, 1});
  }
  std::string made_of(Gguf gguf, const char* name) const {
    const std::string path = (dir_ / name).string();
    quantize(std::move(gguf), path, "BF16");
    return path;
  }

  TempDir dir_;
  GoldenCase golden_;
};

void expect_close(const std::vector<float>& got, const std::vector<float>& want) {
  const Difference d = difference(std::span<const float>(got), std::span<const float>(want));
  EXPECT_LE(d.nmse, kNmse);
  EXPECT_LE(d.max_abs, kMaxAbs);
}

TEST_P(FamilyFidelityTest, LogitsOfTheFolderAreTheReferences) {
  expect_close(logits(open_model_folder(dir_.path().string())), golden_.runs().front().logits);
}

// What `confab quantize` makes of it has the order of a GGUF file, and no key that says otherwise.
TEST_P(FamilyFidelityTest, AGgufMadeOfItIsThatOfTheGolden) {
  const std::string made = made_of(open_model_folder(dir_.path().string()), "made.gguf");
  const Gguf gguf(made);
  for (const GgufKey& key : gguf.keys()) EXPECT_EQ(key.name.find("tiled"), key.name.npos);
  expect_close(logits(Gguf(made)), logits(Gguf(made_of(Gguf(golden_.model()), "golden.gguf"))));
}

INSTANTIATE_TEST_SUITE_P(All, FamilyFidelityTest,
                         testing::Values(golden::deepseek_v2(), golden::deepseek_v3(),
                                         golden::qwen3next(), golden::qwen3next_of_mlx(),
                                         golden::qwen35(), golden::qwen35moe(), golden::olmo3()),
                         [](const testing::TestParamInfo<golden::Family>& tested) {
                           std::string name =
                               tested.param.config["architectures"][0].get<std::string>() +
                               tested.param.form;
                           std::erase(name, '_');
                           return name;
                         });

}  // namespace
}  // namespace confab::engine
