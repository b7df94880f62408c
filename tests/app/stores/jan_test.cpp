// SPDX-License-Identifier: MIT
#include "app/stores/stores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/stores/fake_home.h"

namespace confab::app {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kData = ".local/share/Jan/data/";

TEST(JanTest, DescriptionsSayWhereTheFilesAre) {
  const FakeHome home;
  const std::string models = std::string(kData) + "llamacpp/models/";
  home.model(models + "org/qwen/model.gguf");
  home.text(models + "org/qwen/model.yml",
            "name: Qwen\r\nmodel_path: llamacpp/models/org/qwen/model.gguf\r\n"
            "mmproj_path: \"llamacpp/models/org/qwen/mmproj.gguf\"\n");
  const std::string imported = home.model("Downloads/big model.gguf");
  home.text(models + "imported/model.yml", "model_path: '" + imported + "'\nsize_bytes: 3\n");
  home.text(models + "broken/model.yml", "\tmodel_path: x\n: : [");
  const std::vector<StoreFile> files = jan_files(home.places());
  EXPECT_THAT(names_of(files),
              ElementsAre("imported", "org/qwen", "org/qwen projector", "org/qwen/model.gguf"));
  EXPECT_EQ(files[0].path, imported);
  EXPECT_EQ(files[1].path, home.at(models + "org/qwen/model.gguf"));
  EXPECT_EQ(files[2].kind, StoreFileKind::projector);
}

TEST(JanTest, FilesWithoutADescriptionAreFoundInItsOlderFolderToo) {
  const FakeHome home;
  home.model(std::string(kData) + "models/tiny/tiny-Q4_0.gguf");
  EXPECT_THAT(names_of(jan_files(home.places())), ElementsAre("tiny/tiny-Q4_0.gguf"));
}

TEST(JanTest, ItsDataCanBeElsewhere) {
  FakeHome home;
  home.model(std::string(kData) + "models/default.gguf");
  home.model("Library/Application Support/Jan/data/models/mac.gguf");
  home.model("moved/models/moved.gguf");
  home.model("named/models/named.gguf");
  EXPECT_THAT(names_of(jan_files(home.places(true))), ElementsAre("mac.gguf"));
  home.text(".local/share/Jan/settings.json",
            R"({"data_folder": ")" + home.at("moved").string() + R"("})");
  EXPECT_THAT(names_of(jan_files(home.places())), ElementsAre("moved.gguf"));
  home.variables["JAN_DATA_FOLDER"] = home.at("named");
  EXPECT_THAT(names_of(jan_files(home.places())), ElementsAre("named.gguf"));
  home.variables.clear();
  home.text(".local/share/Jan/settings.json", R"({"data_folder": )");
  EXPECT_THAT(names_of(jan_files(home.places())), Contains("default.gguf"));
}

TEST(JanTest, AHomeWithoutJanHasNone) {
  const FakeHome home;
  EXPECT_THAT(jan_files(home.places()), IsEmpty());
}

}  // namespace
}  // namespace confab::app
