// SPDX-License-Identifier: MIT
#include "app/cli/option_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/cli/option_fixture.h"

namespace confab::app {
namespace {

using testing::Contains;
using testing::HasSubstr;

ChatOptions chat(std::vector<std::string> words) {
  return std::get<ChatOptions>(parse_command_line(std::move(words), {}));
}

TEST(OptionFlagsTest, SayWhichModelRunsAndHow) {
  const ChatOptions options =
      chat({"-m", "a.gguf", "-t", "3", "-c", "4096", "-b", "64", "--cache-type-k", "f16"});
  EXPECT_EQ(options.model.path, "a.gguf");
  EXPECT_TRUE(options.model.named);
  EXPECT_EQ(options.model.n_threads, 3);
  EXPECT_EQ(options.model.n_ctx, 4096);
  EXPECT_EQ(options.model.n_batch, 64);
  EXPECT_EQ(options.model.type_k, kernels::Dtype::F16);
  EXPECT_EQ(options.model.type_v, std::nullopt);
}

TEST(OptionFlagsTest, SayWhichModelDraftsAndHow) {
  const ChatOptions options = chat({"--model-draft", "b.gguf", "--draft-max", "5", "--draft-min",
                                    "2", "--draft-p-min", "0.25", "--no-lookup"});
  EXPECT_EQ(options.model.draft.path, "b.gguf");
  EXPECT_TRUE(options.model.draft.wanted);
  EXPECT_EQ(options.model.draft.most, 5);
  EXPECT_EQ(options.model.draft.least, 2);
  EXPECT_EQ(options.model.draft.p_min, 0.25F);
  EXPECT_TRUE(options.model.drafts);
  EXPECT_FALSE(options.model.lookup);
  EXPECT_EQ(chat({"--draft", "4"}).model.draft.most, 4) << "llama.cpp's";
}

TEST(OptionFlagsTest, OnlyTheCommandLineNamesAModel) {
  const ChatOptions defaults =
      by_environment({"CONFAB_MODEL=a.gguf", "CONFAB_MODEL_DRAFT=b.gguf"}).options;
  const auto options = std::get<ChatOptions>(parse_command_line({}, defaults));
  EXPECT_EQ(options.model.path, "a.gguf");
  EXPECT_FALSE(options.model.named);
  EXPECT_FALSE(options.model.draft.wanted);
  const auto bench = std::get<BenchOptions>(parse_command_line({"bench", "-m", "c"}, defaults));
  EXPECT_EQ(bench.model.path, "c");
  EXPECT_EQ(bench.model.draft.path, "b.gguf");
}

TEST(OptionFlagsTest, NameADevice) {
  using Kind = engine::DeviceChoice::Kind;
  EXPECT_EQ(chat({}).model.device.kind, Kind::automatic);
  EXPECT_EQ(chat({"--device", "cpu"}).model.device.kind, Kind::cpu);
  EXPECT_EQ(chat({"-dev", "Vulkan:2"}).model.device, (engine::DeviceChoice{Kind::vulkan, 2}));
  EXPECT_EQ(by_environment({"CONFAB_DEVICE=vulkan"}).options.model.device.kind, Kind::vulkan);
  try {
    chat({"--device", "cuda"});
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--device must be auto, cpu, vulkan or vulkan:N"));
    EXPECT_THAT(error.what(), HasSubstr("cuda"));
  }
}

TEST(OptionFlagsTest, OfLlamaCppMeanTheSame) {
  EXPECT_EQ(chat({}).model.n_gpu_layers, std::nullopt);
  EXPECT_EQ(chat({"-ngl", "99"}).model.n_gpu_layers, 99);
  EXPECT_GT(chat({"--n-gpu-layers=all"}).model.n_gpu_layers, 10000);
  EXPECT_EQ(chat({"-ngl", "0"}).model.n_gpu_layers, 0);
  EXPECT_EQ(chat({"--gpu-layers", "auto"}).model.n_gpu_layers, std::nullopt);
  EXPECT_EQ(chat({"-ngl", "9", "-ngl", "-1"}).model.n_gpu_layers, std::nullopt);
  EXPECT_EQ(chat({"--keep", "16"}).keep, 16);
  EXPECT_EQ(chat({"--keep", "-1"}).keep, -1);
  EXPECT_EQ(chat({"--keep", "16"}).notice, "");
  for (const auto& [words, fault] :
       {std::pair{std::vector<std::string>{"-ngl", "many"},
                  "--gpu-layers must be a whole number, auto or all, not many"},
        {{"--keep", "-2"}, "--keep must be a whole number from -1 to 16777216, not -2"}}) {
    try {
      chat(words);
      ADD_FAILURE() << words[0];
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(fault));
    }
  }
}

TEST(OptionFlagsTest, SpellingsGoBothWays) {
  EXPECT_EQ(our_spelling("-sysf"), "--system-file");
  EXPECT_EQ(our_spelling("--n-predict"), "--predict");
  EXPECT_EQ(our_spelling("-npl"), "--parallel");
  EXPECT_EQ(our_spelling("--predict"), std::nullopt);
  EXPECT_THAT(other_spellings("--system"), testing::ElementsAre("-sys", "--system-prompt"));
  EXPECT_THAT(other_spellings("--mouse"), testing::IsEmpty());
}

TEST(OptionFlagsTest, OneValueIsTakenAtATime) {
  const ChatOptions options = chat({"-p", "Hello", "-r", "User:", "a.md", "b.md"});
  EXPECT_EQ(options.stop, std::vector<std::string>{"User:"});
  EXPECT_EQ(options.files, (std::vector<std::string>{"a.md", "b.md"}));
}

TEST(OptionFlagsTest, HelpHasNoContraries) {
  const auto text = std::get<PrintAndExit>(parse_command_line({"--help"}, {})).text;
  EXPECT_THAT(text, HasSubstr("  --mouse "));
  EXPECT_THAT(text, HasSubstr("  -e,--escape "));
  EXPECT_THAT(text, HasSubstr("  --reasoning on|off|auto"));
  EXPECT_THAT(text, HasSubstr("  --unload-after MINUTES"));
  for (const char* hidden : {"--no-mouse", "  --lookup", "--gpu-layers", "{false}"})
    EXPECT_THAT(text, testing::Not(HasSubstr(hidden))) << hidden;
}

}  // namespace
}  // namespace confab::app
