// SPDX-License-Identifier: MIT
#include "app/models/inference.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/error.h"
#include "engine/error.h"
#include "tests/app/home_dir.h"
#include "tests/app/program.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

class InferenceTest : public ::testing::Test {
 protected:
  InferenceTest() {
    options_.path = model_.path();
    options_.n_threads = 1;
  }
  std::vector<float> last_logits(int n_batch) {
    options_.n_batch = n_batch;
    Inference inference(options_, false);
    const std::vector<engine::Token> tokens{1, 2, 3, 4, 5, 6, 7};
    std::vector<float> last;
    inference.prefill(tokens, engine::LogitsOf::last_token, [&](std::span<const float> logits) {
      last.assign(logits.begin(), logits.end());
    });
    EXPECT_EQ(inference.cache().n_tokens(), 7);
    return last;
  }
  engine::TinyModelFile model_;
  ModelOptions options_;
};

TEST_F(InferenceTest, BatchesOfAnySizeGiveTheSameLogits) {
  const std::vector<float> whole = last_logits(512);
  EXPECT_EQ(whole.size(), 300U);
  EXPECT_EQ(last_logits(1), whole);
  EXPECT_EQ(last_logits(3), whole);
}

TEST_F(InferenceTest, RefusesIdsThatAreNoneAndPromptsThatDoNotFit) {
  options_.n_ctx = 4;
  Inference inference(options_, false);
  const auto nothing = [](std::span<const float>) {};
  const std::vector<engine::Token> unknown{1, 300}, negative{-1};
  EXPECT_THROW(inference.prefill(unknown, engine::LogitsOf::none, nothing), UserError);
  EXPECT_THROW(inference.prefill(negative, engine::LogitsOf::none, nothing), UserError);
  const std::vector<engine::Token> many(static_cast<std::size_t>(inference.cache().n_ctx()) + 1, 1);
  EXPECT_THROW(inference.prefill(many, engine::LogitsOf::none, nothing), UserError);
}

TEST_F(InferenceTest, NothingIsToldOfAFileThatWasCutShort) {
  Inference inference(options_, false);
  const std::vector<engine::Token> tokens{1, 2, 3};
  inference.prefill(tokens, engine::LogitsOf::last_token, [](std::span<const float>) {});
  std::filesystem::resize_file(model_.path(), 0);
  EXPECT_THROW(inference.decode(4), engine::ModelError);
  const auto tell = [](std::span<const float>) { ADD_FAILURE() << "logits of nobody's weights"; };
  EXPECT_THROW(inference.prefill(tokens, engine::LogitsOf::last_token, tell), engine::ModelError);
}

TEST_F(InferenceTest, AModelOfTheHomeDirectoryHasAShortName) {
  const HomeDir home;
  const std::string file = home.file("a b.gguf", "");
  options_.path = "~/a b.gguf";
  EXPECT_EQ(model_path(options_), file);
  options_.path = "~/none.gguf";
  EXPECT_EQ(model_path(options_), (home / "none.gguf").string());
}

TEST_F(InferenceTest, AnUnknownInstructionSetIsNamed) {
  setenv("CONFAB_ISA", "sse9", 1);
  try {
    Inference inference(options_, false);
    ADD_FAILURE() << "CONFAB_ISA=sse9 must be refused";
  } catch (const UserError& fault) {
    EXPECT_NE(std::string(fault.what()).find("sse9"), std::string::npos);
  }
  unsetenv("CONFAB_ISA");
}

TEST(ModelPathTest, TheBundledModelIsTheDefault) {
  EXPECT_NE(model_path({}).find("confab-demo.gguf"), std::string::npos);
  ModelOptions options;
  options.path = "other.gguf";
  EXPECT_EQ(model_path(options), "other.gguf");
}

// Where both lie beside each other under their own names.
TEST(DraftOptionsTest, TheBundledModelHasADraftModel) {
  HomeDir home;
  const std::string demo = home.file("confab-demo.gguf", "x");
  EXPECT_EQ(draft_options({}, demo).path, "");
  const std::string draft = home.file("confab-draft.gguf", "x");
  EXPECT_EQ(draft_options({}, demo).path, draft);
  EXPECT_FALSE(draft_options({}, demo).wanted);
  EXPECT_EQ(draft_options({}, home.file("other.gguf", "x")).path, "");
  ModelOptions options;
  options.draft = {.path = home.file("named.gguf", "x"), .wanted = true, .most = 4};
  EXPECT_EQ(draft_options(options, demo).path, options.draft.path);
  EXPECT_EQ(draft_options(options, demo).most, 4);
  options.drafts = false;
  EXPECT_EQ(draft_options(options, demo).path, "");
}

// What is installed without its data: the first start says what there is, and what to type.
TEST(NoModelTest, TheFirstStartSaysInThreeLinesWhatThereIsToDo) {
  const TempDir home;
  const std::filesystem::path program = home / "bin/confab";
  std::filesystem::create_directory(home / "bin");
  std::filesystem::copy_file(confab_program(), program);
  home.file(".config/confab/suggested.toml", "[\"Tiny\"]\npull = \"org/tiny\"\ngb = 0.001\n");
  const auto start = [&] { return run_command(home, {program.string(), "-p", "Hello?"}); };
  const RunResult bare = start();
  EXPECT_EQ(bare.status, 5);
  EXPECT_EQ(std::count(bare.err.begin(), bare.err.end(), '\n'), 3) << bare.err;
  const char* first =
      "confab: On this disk: no model, not even the bundled one\nWhat fits: files up to ";
  EXPECT_TRUE(bare.err.starts_with(first)) << bare.err;
  EXPECT_NE(bare.err.find(", such as Tiny (976.6 KiB)\nA real model: confab pull org/tiny\n"),
            std::string::npos)
      << bare.err;
  const RunResult listed = run_command(home, {program.string(), "models"});
  EXPECT_TRUE(listed.err.starts_with(first)) << listed.err;
  const engine::TinyModelFile model;
  std::filesystem::create_directories(home / ".cache/llama.cpp");
  std::filesystem::copy_file(model.path(), home / ".cache/llama.cpp/org_found.gguf");
  const RunResult found = start();
  EXPECT_NE(found.err.find("On this disk: 1 model; "), std::string::npos) << found.err;
  EXPECT_NE(found.err.find("A real model: confab -m "), std::string::npos) << found.err;
}

}  // namespace
}  // namespace confab::app
