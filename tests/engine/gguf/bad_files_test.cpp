// SPDX-License-Identifier: MIT
// Malformed files: the generator of the golden data writes them, each with its verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "engine/error.h"
#include "engine/prompt/prompt.h"
#include "engine/run/context_plan.h"
#include "tests/engine/allocations.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kPython = "/usr/bin/python3";
// Vocabulary and tables of a good file of this size take less than a megabyte.
constexpr std::size_t kMaxAllocated = std::size_t{8} << 20U;
constexpr std::chrono::milliseconds kMaxTime{100};

// What came of loading a file and, when it loads, of a few tokens.
struct Outcome {
  std::string error;
  Clock::duration time{};
  std::size_t allocated_bytes = 0;
};

void generate(const Model& model) {
  const TemplateSource source = choose_template(model.gguf, *model.tokenizer, "");
  const ContextPlan plan = plan_context(model, {.n_ctx = std::min(64, model.hparams.n_ctx_train)},
                                        std::numeric_limits<std::uint64_t>::max());
  Runner runner(model, {.n_ctx = plan.n_ctx, .n_batch = 4});
  std::vector<Token> tokens(static_cast<std::size_t>(std::min(4, plan.n_ctx)));
  std::iota(tokens.begin(), tokens.end(), 0);
  for (Token& token : tokens) token %= model.hparams.n_vocab;
  runner.logits(tokens, {static_cast<int>(tokens.size())});
  PromptBuilder(*model.tokenizer, source.text, source.tokens).build({{{"user", "Hello"}}});
}

Outcome load(const std::string& path) {
  Outcome outcome;
  std::unique_ptr<const Model> model;
  const std::size_t allocated_before = n_allocated_bytes().value_or(0);
  const auto begin = Clock::now();
  try {
    model = Model::load(path);
  } catch (const ModelError& error) {
    outcome.error = error.what();
  }
  outcome.time = Clock::now() - begin;
  outcome.allocated_bytes = n_allocated_bytes().value_or(0) - allocated_before;
  if (model == nullptr) return outcome;
  try {
    generate(*model);
  } catch (const ModelError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

// One line that names the file and then says more.
void expect_message(const std::string& message, const std::string& path) {
  EXPECT_THAT(message, testing::StartsWith(path + ": "));
  EXPECT_GT(message.size(), path.size() + 10);
  EXPECT_LT(message.size(), path.size() + 400);
  for (const char c : message) EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20) << message;
}

class BadFilesFidelityTest : public testing::TestWithParam<const char*> {};

TEST_P(BadFilesFidelityTest, EveryVerdictIsRight) {
  CONFAB_NEEDS_GOLDEN_FOLDER();
  if (!std::filesystem::exists(kPython)) GTEST_SKIP() << "there is no " << kPython;
  const TempDir folder;
  const auto good = golden_folder() / "arch" / GetParam() / "model.gguf";
  const auto generator = golden_folder() / "bad_gguf" / "make_bad_gguf.py";
  const std::string command = std::string(kPython) + " " + generator.string() + " " +
                              good.string() + " " + folder.path().string() + " > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const auto manifest = nlohmann::json::parse(read_text(folder.path() / "manifest.json"));
  ASSERT_GT(manifest.size(), 200U);
  for (const auto& entry : manifest) {
    const std::string name = entry["file"], expect = entry["expect"], why = entry["why"];
    SCOPED_TRACE(name + ": " + why);
    const std::string path = (folder.path() / name).string();
    const Outcome outcome = load(path);
    if (expect == "reject") {
      EXPECT_NE(outcome.error, "");
      if (!outcome.error.empty()) expect_message(outcome.error, path);
    }
    if (expect == "accept") {
      EXPECT_EQ(outcome.error, "");
    }
    EXPECT_LT(outcome.allocated_bytes, kMaxAllocated);
    if (n_allocations()) {  // a sanitizer takes its time
      EXPECT_LT(outcome.time, kMaxTime);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Good, BadFilesFidelityTest,
                         testing::Values("llama-tied", "llama3-ropefreqs"), [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace confab::engine
