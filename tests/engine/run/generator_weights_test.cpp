// SPDX-License-Identifier: MIT
// Answers of models whose file is changed under them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "engine/error.h"
#include "tests/engine/error_of.h"
#include "tests/engine/run/generator_rig.h"

namespace confab::engine {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

// A model file that was written long ago: whatever is written to it now has another time. Its end,
// which is cut off, is far larger than a page.
class GeneratorWeightsTest : public testing::Test {
 protected:
  GeneratorWeightsTest() { make_old(); }

  void make_old() const {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(24));
  }
  void cut_short() const { fs::resize_file(path, fs::file_size(path) / 2); }
  // By another model of the same size.
  void overwrite() const {
    const std::string other = tiny_model({.seed = 7, .n_ctx = 2048}).bytes();
    ASSERT_EQ(other.size(), fs::file_size(path));
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << other;
  }
  std::string error_of_run(Rig& rig, const GenerateRequest& request) const {
    return error_of([&] { rig.run(request); });
  }

  const TinyModelFile file{{.n_ctx = 2048}};
  const std::string path = file.path();
  MemoryBlockStore store;
};

TEST_F(GeneratorWeightsTest, AFileThatIsCutShortEndsTheAnswerWithOneLine) {
  for (const int n_threads : {1, 3}) {
    tiny_model({.n_ctx = 2048}).write(path);
    make_old();
    Rig rig({.path = path, .n_threads = n_threads, .store = &store});
    rig.run(greedy("hello", 3));
    cut_short();
    for (int i = 0; i < 2; ++i) {
      const std::string error = error_of_run(rig, greedy(long_text(60), 5));
      EXPECT_THAT(error, StartsWith(path + ": the file was overwritten or truncated"));
      EXPECT_EQ(error.find('\n'), std::string::npos);
    }
    EXPECT_TRUE(store.blocks.empty());
  }
}

TEST_F(GeneratorWeightsTest, AFileThatIsCutShortWhileItIsReadEndsTheAnswer) {
  const int n_prompt = Rig({.path = path}).run(greedy("hello", 1)).end.stats.n_prompt;
  const AtPosition at(n_prompt + 2, [this] { fs::resize_file(path, 0); });
  Rig rig({.path = path, .table = at.table()});
  EXPECT_THAT(error_of_run(rig, greedy("hello", 10)), HasSubstr("truncated"));
  EXPECT_EQ(rig.n_tokens(), 0) << "what was computed is void";
}

TEST_F(GeneratorWeightsTest, WhatOtherWeightsComputedIsNotKept) {
  const GenerateRequest request = greedy(long_text(120), 5);
  const int n_prompt = Rig({.path = path}).run(request).end.stats.n_prompt;
  ASSERT_GT(n_prompt, 2 * kBlockTokens);
  const AtPosition at(64, [this] { overwrite(); });
  Rig rig({.path = path, .n_batch = 64, .store = &store, .table = at.table()});
  EXPECT_THAT(error_of_run(rig, request), StartsWith(path + ": the file was overwritten"));
  EXPECT_TRUE(store.blocks.empty());
  EXPECT_THAT(error_of_run(rig, request), StartsWith(path + ": the file was overwritten"));
  const PrepareRequest ahead{.turns = request.turns};
  EXPECT_THAT(error_of([&] { rig.generator.prepare(ahead, {}); }), StartsWith(path));
}

TEST_F(GeneratorWeightsTest, AFileThatIsReplacedByNameGoesOnAndIsNotStored) {
  const GenerateRequest request = greedy(long_text(120), 5);
  const Answer want = Rig({.path = path}).run(request);
  Rig rig({.path = path, .store = &store});
  std::ofstream(path + ".new") << "another";
  fs::rename(path + ".new", path);
  EXPECT_EQ(rig.run(request).end.tokens, want.end.tokens);
}

// The time of a content that was changed may have been set back.
TEST_F(GeneratorWeightsTest, WhereTheContentIsInDoubtNothingIsStored) {
  const GenerateRequest request = greedy(long_text(120), 5);
  const Answer want = Rig({.path = path}).run(request);
  Rig rig({.path = path, .store = &store});
  while (rig.model->gguf.state() == FileState::same) {
    fs::permissions(path, fs::perms::owner_read);
  }
  EXPECT_EQ(rig.run(request).end.tokens, want.end.tokens);
  EXPECT_TRUE(store.blocks.empty());
}

TEST_F(GeneratorWeightsTest, WhereTheContentIsInDoubtNothingStoredIsUsed) {
  const GenerateRequest request = greedy(long_text(120), 5);
  Rig({.path = path, .store = &store}).run(request);
  ASSERT_GT(Rig({.path = path, .store = &store}).run(request).end.stats.n_cached, 0);
  Rig answering({.path = path, .store = &store}), ahead({.path = path, .store = &store});
  while (ahead.model->gguf.state() == FileState::same) {
    fs::permissions(path, fs::perms::owner_read);
  }
  EXPECT_EQ(answering.run(request).end.stats.n_cached, 0);
  store.uses.clear();
  ahead.generator.prepare({.turns = request.turns}, {});
  for (const BlockUse& use : store.uses) EXPECT_EQ(use.n_found, 0);
}

// As a library may do that is loaded later.
TEST_F(GeneratorWeightsTest, WhoeverTookTheSignalMeanwhileDoesNotKeepIt) {
  const GenerateRequest request = greedy(long_text(60), 3);
  const PrepareRequest ahead{.turns = request.turns};
  for (const bool answers : {true, false}) {
    tiny_model({.n_ctx = 2048}).write(path);
    const AtPosition at(64, [this] { fs::resize_file(path, 0); });
    Rig rig({.path = path, .n_batch = 64, .table = at.table()});
    ::signal(SIGBUS, SIG_DFL);
    const std::string error = error_of([&] {
      if (answers)
        rig.run(request);
      else
        rig.generator.prepare(ahead, {});
    });
    EXPECT_THAT(error, HasSubstr("truncated"));
  }
}

}  // namespace
}  // namespace confab::engine
