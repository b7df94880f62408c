// SPDX-License-Identifier: MIT
#include "app/models/model_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "app/error.h"
#include "tests/engine/tiny_model.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

class ModelFinderTest : public testing::Test {
 protected:
  ModelFinderTest() {
    for (const char* name : kVariables) unsetenv(name);
    setenv("HOME", home_.path().c_str(), 1);
  }
  ~ModelFinderTest() override {
    for (const char* name : kVariables) unsetenv(name);
    setenv("HOME", was_.c_str(), 1);
  }
  void write(const std::string& path, const std::string& text = "GGUF") const {
    fs::create_directories((home_ / path).parent_path());
    std::ofstream(home_ / path) << text << path;
  }
  std::vector<std::string> names(const fs::path& current = {}) const {
    std::vector<std::string> out;
    for (const FoundModel& model : find_models(current)) out.push_back(model.name);
    return out;
  }
  static constexpr const char* kVariables[] = {
      "XDG_DATA_HOME", "XDG_CACHE_HOME",        "LLAMA_CACHE",  "HF_HOME",
      "HF_HUB_CACHE",  "HUGGINGFACE_HUB_CACHE", "OLLAMA_MODELS"};
  TempDir home_;
  std::string was_ = getenv("HOME") == nullptr ? "" : getenv("HOME");
};

TEST_F(ModelFinderTest, LooksWherePeopleKeepThem) {
  write("models/a.gguf");
  write(".local/share/confab/models/b.gguf");
  write(".lmstudio/models/pub/model/e.gguf");
  EXPECT_THAT(names(home_ / "models/a.gguf"),
              IsSupersetOf({"a.gguf", "b.gguf", "pub/model/e.gguf", "confab-demo.gguf"}));
}

TEST_F(ModelFinderTest, DraftsAndAllModelsMayBeDrafts) {
  write(".local/share/confab/models/mtp-b.gguf");
  write(".local/share/confab/models/b.gguf");
  EXPECT_THAT(names(), Not(Contains("mtp-b.gguf")));
  std::vector<std::string> drafts;
  for (const FoundModel& draft : find_drafts()) drafts.push_back(draft.name);
  EXPECT_THAT(drafts, IsSupersetOf({"mtp-b.gguf", "b.gguf"}));
}

TEST_F(ModelFinderTest, AModelIsNamedByItsFileItsNameOrAPartOfIt) {
  write("x.gguf");
  const std::vector<FoundModel> models = {{"alpha-1b.gguf", "/m/alpha-1b.gguf", 1},
                                          {"alpha-8b.gguf", "/m/alpha-8b.gguf", 1},
                                          {"beta", "/m/beta", 1},
                                          {"beta-large", "/m/beta-large", 1}};
  EXPECT_EQ(path_of_model((home_ / "x.gguf").string(), models), (home_ / "x.gguf").string());
  EXPECT_EQ(path_of_model("~/x.gguf", models), (home_ / "x.gguf").string());
  EXPECT_EQ(path_of_model("8b", models), "/m/alpha-8b.gguf");
  EXPECT_EQ(path_of_model("beta", models), "/m/beta");
  EXPECT_EQ(find_path("Alpha 8B", models), "/m/alpha-8b.gguf");
  EXPECT_FALSE(find_path("gamma", models));
  const auto fault_of = [&](const std::string& name) {
    try {
      path_of_model(name, models);
    } catch (const UserError& fault) {
      return std::string(fault.what());
    }
    return std::string();
  };
  EXPECT_THAT(fault_of("alpha"), HasSubstr("matches 2 models: alpha-1b.gguf, alpha-8b.gguf"));
  EXPECT_THAT(fault_of("gamma"), HasSubstr("no model 'gamma'"));
}

TEST_F(ModelFinderTest, AnOllamaModelKeepsItsName) {
  const std::vector<FoundModel> models = {
      {.name = "mario:latest", .path = "/o/blobs/sha256-1", .store = Store::ollama},
      {.name = "a.gguf", .path = "/m/a.gguf"}};
  EXPECT_EQ(spec_of_model("mario", models), "mario:latest");
  EXPECT_EQ(spec_of_model("a", models), "/m/a.gguf");
  EXPECT_THROW(spec_of_model("b", models), NoModelError);
}

TEST_F(ModelFinderTest, TheOneInUseIsTheOneThatWasAskedFor) {
  write("blob");
  write("a.gguf");
  const std::vector<FoundModel> models = {
      {.name = "demo:latest", .path = home_ / "blob", .store = Store::ollama},
      {.name = "mario:latest", .path = home_ / "blob", .store = Store::ollama},
      {.name = "a.gguf", .path = home_ / "a.gguf"}};
  EXPECT_EQ(model_in_use(models, "mario", home_ / "blob"), &models[1]);
  EXPECT_EQ(model_in_use(models, home_ / "blob", home_ / "blob"), &models[0]);
  EXPECT_EQ(model_in_use(models, "mario", home_ / "a.gguf"), &models[2]);
  EXPECT_EQ(model_in_use(models, "", home_ / "nowhere"), nullptr);
}

TEST_F(ModelFinderTest, AModelIsFoundByWhatItCallsItself) {
  const engine::TinyModelFile file;
  write("damaged.gguf");
  const std::vector<FoundModel> models = {{"damaged.gguf", home_ / "damaged.gguf", 1},
                                          {"tiny.gguf", file.path(), 1}};
  EXPECT_EQ(file_of_model_called("Tiny Test", models), file.path());
  EXPECT_FALSE(file_of_model_called("Other", models));
}

}  // namespace
}  // namespace confab::app
