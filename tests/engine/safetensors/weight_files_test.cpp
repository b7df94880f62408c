// SPDX-License-Identifier: MIT
#include "engine/safetensors/weight_files.h"

#include <gmock/gmock.h>

#include "tests/engine/error_of.h"
#include "tests/engine/safetensors/safetensors_writer.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

std::string file_with(const std::string& tensor) {
  SafetensorsWriter writer;
  writer.add(tensor, "F32", {1}, "1234");
  return writer.bytes();
}

class WeightFilesTest : public testing::Test {
 protected:
  std::string folder() const { return dir_.path().string(); }
  void index(const nlohmann::json& map) {
    dir_.file("model.safetensors.index.json", nlohmann::json{{"weight_map", map}}.dump());
  }
  std::string error() {
    return error_of([&] { open_weights(folder()); });
  }

  TempDir dir_;
};

TEST_F(WeightFilesTest, OneFileNeedsNoIndex) {
  dir_.file("model.safetensors", file_with("a"));
  const WeightFiles weights = open_weights(folder());
  EXPECT_EQ(weights.paths, std::vector<std::string>{folder() + "/model.safetensors"});
  ASSERT_EQ(weights.tensors.size(), 1U);
  EXPECT_EQ(weights.tensors[0].name, "a");
}

TEST_F(WeightFilesTest, TheIndexNamesTheFiles) {
  dir_.file("x.safetensors", file_with("a"));
  dir_.file("y.safetensors", file_with("b"));
  dir_.file("model.safetensors", "not looked at");
  index({{"a", "x.safetensors"}, {"b", "y.safetensors"}});
  const WeightFiles weights = open_weights(folder());
  EXPECT_EQ(weights.files.size(), 2U);
  EXPECT_EQ(weights.tensors.size(), 2U);
}

TEST_F(WeightFilesTest, WhatIsMissingIsNamed) {
  EXPECT_EQ(error(), folder() +
                         ": has neither model.safetensors nor model.safetensors.index.json, "
                         "so its weights are missing");
  dir_.file("x.safetensors", file_with("a"));
  index({{"a", "x.safetensors"}, {"b", "y.safetensors"}});
  EXPECT_EQ(error(), folder() +
                         "/y.safetensors: is one of 2 files of the model, and is missing; "
                         "download it into the same folder");
  dir_.file("y.safetensors", file_with("c"));
  EXPECT_EQ(error(), folder() +
                         "/y.safetensors: tensor b is missing, which "
                         "model.safetensors.index.json says is here");
}

TEST_F(WeightFilesTest, AnIndexThatLeavesTheFolderIsRefused) {
  for (const nlohmann::json& file :
       {nlohmann::json("../x.safetensors"), nlohmann::json("/etc/x.safetensors"),
        nlohmann::json("a\\x.safetensors"), nlohmann::json("passwd"), nlohmann::json(7)}) {
    index({{"a", file}});
    EXPECT_THAT(error(), HasSubstr("expected a .safetensors file of the same folder")) << file;
  }
  dir_.file("model.safetensors.index.json", "{\"weight_map\":{}}");
  EXPECT_THAT(error(), HasSubstr("\"weight_map\" is missing"));
}

}  // namespace
}  // namespace confab::engine
