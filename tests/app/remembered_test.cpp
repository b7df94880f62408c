// SPDX-License-Identifier: MIT
#include "app/remembered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/config.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RememberedTest : public ::testing::Test {
 protected:
  RememberedTest() {
    paths_.state = home_ / "state" / "state.toml";
    paths_.shipped_themes = *find_shipped("themes");
  }
  ChatOptions loaded(StatePart part = StatePart::all) const { return load_state(paths_, part); }

  TempDir home_;
  Paths paths_;
};

TEST_F(RememberedTest, WhatIsKeptIsThereTheNextTime) {
  const std::string model = home_.file("a model.gguf", "");
  Remembered remembered(paths_.state);
  EXPECT_EQ(remembered.keep("theme", "light"), "");
  EXPECT_EQ(remembered.keep("model", model), "");
  EXPECT_EQ(remembered.keep("thinking", false), "");
  EXPECT_EQ(remembered.keep("temperature", Remembered::Number{"0.4"}), "");
  EXPECT_EQ(remembered.keep("top_k", Remembered::Number{"7"}), "");
  const ChatOptions options = loaded();
  EXPECT_EQ(options.theme, "light");
  EXPECT_EQ(options.model.path, model);
  EXPECT_EQ(options.thinking, false);
  EXPECT_EQ(options.sampling.temperature, 0.4F);
  EXPECT_EQ(options.sampling.top_k, 7);
  EXPECT_EQ(options.notice, "");
  EXPECT_THAT(read_file(paths_.state), HasSubstr("temperature = 0.4\n"));
}

TEST_F(RememberedTest, OneQuestionTakesTheModelAlone) {
  Remembered remembered(paths_.state);
  EXPECT_EQ(remembered.keep("model", home_.file("a.gguf", "")), "");
  EXPECT_EQ(remembered.keep("temperature", Remembered::Number{"0.4"}), "");
  EXPECT_NE(loaded(StatePart::model).model.path, "");
  EXPECT_EQ(loaded(StatePart::model).sampling, engine::SamplerParams());
}

TEST_F(RememberedTest, TheConfigurationWins) {
  Remembered remembered(paths_.state);
  EXPECT_EQ(remembered.keep("temperature", Remembered::Number{"0.4"}), "");
  EXPECT_EQ(remembered.keep("theme", "light"), "");
  const auto config = home_.file("config.toml", "temperature = 0.9\n");
  const ChatOptions options = load_config(config, loaded());
  EXPECT_EQ(options.sampling.temperature, 0.9F);
  EXPECT_EQ(options.theme, "light");
}

TEST_F(RememberedTest, WhatAnotherProgramKeptMeanwhileStays) {
  Remembered one(paths_.state), other(paths_.state);
  EXPECT_EQ(one.keep("theme", "light"), "");
  EXPECT_EQ(other.keep("top_k", Remembered::Number{"7"}), "");
  EXPECT_EQ(one.forget("thinking"), "");
  EXPECT_EQ(loaded().theme, "light");
  EXPECT_EQ(one.forget("theme"), "");
  EXPECT_EQ(loaded().theme, "");
  EXPECT_EQ(loaded().sampling.top_k, 7);
}

// What config.toml names is known only then.
TEST_F(RememberedTest, AModelOfAnEngineIsKeptAsLongAsTheEngineHasItsName) {
  Remembered remembered(paths_.state);
  EXPECT_EQ(remembered.keep("model", "work/m"), "");
  EXPECT_EQ(load_defaults(paths_, StatePart::all, {}).options.model.path, "");
  paths_.config_file = home_.file("config.toml", "[engines.work]\nurl = \"http://127.0.0.1:1\"\n");
  const ChatOptions options = load_defaults(paths_, StatePart::all, {}).options;
  EXPECT_EQ(options.model.path, "work/m");
  EXPECT_EQ(options.notice, "");
}

TEST_F(RememberedTest, WhatIsGoneOrDamagedIsToldAndLeftOut) {
  Remembered remembered(paths_.state);
  EXPECT_EQ(remembered.keep("model", "/nowhere/a.gguf"), "");
  EXPECT_EQ(remembered.keep("top_k", Remembered::Number{"7"}), "");
  const ChatOptions options = load_defaults(paths_, StatePart::all, {}).options;
  EXPECT_EQ(options.model.path, "");
  EXPECT_EQ(options.sampling.top_k, 7);
  EXPECT_THAT(options.notice, HasSubstr("/nowhere/a.gguf"));
  EXPECT_EQ(remembered.forget("model"), "");
  EXPECT_EQ(remembered.keep("theme", "gone"), "");
  EXPECT_EQ(loaded().theme, "");
  EXPECT_THAT(loaded().notice, HasSubstr("gone"));
  home_.file("state/state.toml", "theme = [");
  EXPECT_THAT(loaded().notice, HasSubstr("state.toml:1"));
  EXPECT_EQ(remembered.keep("theme", "dark"), "");
  EXPECT_EQ(loaded().theme, "dark");
}

TEST_F(RememberedTest, AFolderThatCannotBeMadeIsToldOnce) {
  Remembered remembered(home_.file("a-file", "") + "/state.toml");
  EXPECT_THAT(remembered.keep("theme", "dark"), HasSubstr("a-file"));
  EXPECT_EQ(remembered.keep("theme", "dark"), "");
}

TEST_F(RememberedTest, WithoutAFileNothingIsKept) {
  Remembered remembered{{}};
  EXPECT_EQ(remembered.keep("theme", "dark"), "");
  EXPECT_FALSE(std::filesystem::exists(paths_.state));
}

}  // namespace
}  // namespace confab::app
