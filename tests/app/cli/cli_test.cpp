// SPDX-License-Identifier: MIT
#include "app/cli/cli.h"

#include <gtest/gtest.h>

#include "app/error.h"

namespace confab::app {
namespace {

template <typename T = ChatOptions>
T parse(std::vector<std::string> words, const ChatOptions& defaults = {}) {
  Invocation invocation = parse_command_line(std::move(words), defaults);
  return std::get<T>(std::move(invocation));
}

std::string usage_error(std::vector<std::string> words) {
  try {
    parse_command_line(std::move(words), {});
  } catch (const UsageError& fault) {
    return fault.what();
  }
  return "no error";
}

TEST(CliTest, NoWordsMeanAChatWithDefaults) {
  const ChatOptions options = parse({});
  EXPECT_EQ(options.model.path, "");
  EXPECT_EQ(options.model.n_ctx, 0);
  EXPECT_FALSE(options.prompt);
  EXPECT_TRUE(options.save);
}

TEST(CliTest, TakesTheSpellingsOfLlamaCpp) {
  const ChatOptions options =
      parse({"-m",  "a.gguf", "-c",   "4096",   "-t",   "3",         "-ctk",
             "f16", "-ctv",   "Q8_0", "--temp", "0",    "--top-k",   "5",
             "-s",  "42",     "-n",   "7",      "-sys", "Be brief.", "--reasoning-budget",
             "0"});
  EXPECT_EQ(options.model.path, "a.gguf");
  EXPECT_EQ(options.model.n_ctx, 4096);
  EXPECT_EQ(options.model.n_threads, 3);
  EXPECT_EQ(options.model.type_k, kernels::Dtype::F16);
  EXPECT_EQ(options.model.type_v, kernels::Dtype::Q8_0);
  EXPECT_EQ(options.sampling.temperature, 0);
  EXPECT_EQ(options.sampling.top_k, 5);
  EXPECT_EQ(options.sampling.seed, 42U);
  EXPECT_EQ(options.n_predict, 7);
  EXPECT_EQ(options.reasoning_budget, 0);
  EXPECT_EQ(options.system, "Be brief.");
}

TEST(CliTest, PromptTakesFiles) {
  const ChatOptions options = parse({"-p", "compare", "a.md", "b.md"});
  EXPECT_EQ(options.prompt, "compare");
  EXPECT_EQ(options.files, (std::vector<std::string>{"a.md", "b.md"}));
}

TEST(CliTest, WordsOverrideTheConfiguration) {
  ChatOptions defaults;
  defaults.model.path = "configured.gguf";
  defaults.model.n_ctx = 1024;
  const ChatOptions options = parse({"-c", "2048"}, defaults);
  EXPECT_EQ(options.model.path, "configured.gguf");
  EXPECT_EQ(options.model.n_ctx, 2048);
}

TEST(CliTest, ATextMayBeginWithADash) {
  EXPECT_EQ(parse({"-p", "- an item: is it right?"}).prompt, "- an item: is it right?");
  EXPECT_EQ(parse({"--prompt", "--help me with this"}).prompt, "--help me with this");
  EXPECT_EQ(parse({"--yes-no", "-5 + 5 = 0, right?"}).prompt, "-5 + 5 = 0, right?");
  EXPECT_EQ(parse({"-sys", "- be brief"}).system, "- be brief");
  const ChatOptions options = parse({"-p", "--system=be brief"});
  EXPECT_EQ(options.prompt, "");
  EXPECT_EQ(options.system, "be brief");
}

TEST(CliTest, FaultsAreUsageErrorsThatNameTheWord) {
  EXPECT_NE(usage_error({"--frobnicate"}).find("--frobnicate"), std::string::npos);
  EXPECT_NE(usage_error({"-c", "many"}).find("many"), std::string::npos);
  EXPECT_NE(usage_error({"-c", "-1"}).find("ctx-size"), std::string::npos);
  EXPECT_NE(usage_error({"-ctk", "q3"}).find("q3"), std::string::npos);
  EXPECT_NE(usage_error({"-ctk", "q4_k"}).find("must be one of f32, f16, bf16, q8_0"),
            std::string::npos);
  EXPECT_NE(usage_error({"model.gguf"}).find("model.gguf"), std::string::npos);
  EXPECT_NE(usage_error({"-C", "--resume", "x"}).find("--resume"), std::string::npos);
  EXPECT_NE(usage_error({"-p", "a", "-p", "b"}).find("--prompt can be given only once"),
            std::string::npos);
  EXPECT_NE(usage_error({"debug"}), "no error");
  EXPECT_NE(usage_error({"debug", "logits", "--tokens", "x"}).find("--out"), std::string::npos);
  EXPECT_NE(usage_error({"bench", "-o", "xml"}).find("xml"), std::string::npos);
}

TEST(CliTest, HelpAndVersionAreTexts) {
  EXPECT_NE(parse<PrintAndExit>({"--help"}).text.find("--continue"), std::string::npos);
  EXPECT_NE(parse<PrintAndExit>({"bench", "--help"}).text.find("--depth"), std::string::npos);
  EXPECT_NE(parse<PrintAndExit>({"debug", "--help"}).text.find("tokenize"), std::string::npos);
  EXPECT_EQ(parse<PrintAndExit>({"--version"}).text.substr(0, 7), "confab ");
}

TEST(CliTest, Cache) {
  ChatOptions defaults;
  defaults.cache_max_bytes = 77;
  CacheOptions options = parse<CacheOptions>({"cache"}, defaults);
  EXPECT_EQ(options.command, CacheCommand::list);
  EXPECT_FALSE(options.prefixes || options.json);
  EXPECT_EQ(options.max_bytes, 77U);
  options = parse<CacheOptions>({"cache", "--prefixes", "--json"});
  EXPECT_TRUE(options.prefixes && options.json);
  EXPECT_EQ(parse<CacheOptions>({"cache", "clear"}).command, CacheCommand::clear);
  EXPECT_EQ(parse<CacheOptions>({"cache", "gc"}).command, CacheCommand::gc);
  EXPECT_EQ(parse<CacheOptions>({"cache", "verify"}).command, CacheCommand::verify);
  EXPECT_NE(usage_error({"cache", "clear", "gc"}), "no error");
  EXPECT_NE(usage_error({"cache", "--json", "clear"}), "no error");
  EXPECT_NE(usage_error({"cache", "purge"}).find("purge"), std::string::npos);
}

}  // namespace
}  // namespace confab::app
