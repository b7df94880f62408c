// SPDX-License-Identifier: MIT
#include "app/tools/models_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/app/home_dir.h"
#include "tests/app/program.h"

namespace confab::app {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

ModelOptions of_model(const std::string& path) {
  ModelOptions options;
  options.path = path;
  return options;
}

TEST(ModelsCommandTest, ListsWhatIsHereAndMarksTheDefault) {
  const HomeDir home;
  home.file(".local/share/confab/models/own.gguf", std::string(2048, 'x'));
  std::ostringstream out, err;
  EXPECT_EQ(run_models(of_model("own.gguf"), out, err), 0);
  EXPECT_THAT(out.str(), ContainsRegex("\\* own.gguf +2.0 KiB  ~/.local/share/confab/models"));
  EXPECT_THAT(out.str(), ContainsRegex("  confab-demo.gguf +[0-9.]+ MiB"));
  EXPECT_THAT(err.str(), HasSubstr("confab -m NAME"));
}

TEST(ModelsCommandTest, AMissingDefaultIsToldAndTheRestListed) {
  const HomeDir home;
  std::ostringstream out, err;
  EXPECT_EQ(run_models(of_model("nowhere.gguf"), out, err), 0);
  EXPECT_THAT(err.str(), HasSubstr("nowhere.gguf"));
  EXPECT_THAT(out.str(), HasSubstr("  confab-demo.gguf"));
}

TEST(ModelsCommandTest, TheDefaultIsThatOfTheConfiguration) {
  const TempDir home;
  home.file(".local/share/confab/models/own.gguf", "GGUF");
  home.file(".config/confab/config.toml", "model = \"own.gguf\"\n");
  const RunResult result = run_program(home, {"models"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("\n* own.gguf"));
}

}  // namespace
}  // namespace confab::app
