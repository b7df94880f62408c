// SPDX-License-Identifier: MIT
#include "engine/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/error_of.h"
#include "tests/engine/golden.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using testing::StartsWith;

TEST(ModelTest, LoadsWithItsTokenizer) {
  const TinyModelFile file;
  const auto model = Model::load(file.path());
  EXPECT_EQ(model->hparams.n_vocab, 300);
  EXPECT_EQ(model->tokenizer->n_vocab(), 300);
  EXPECT_EQ(model->weights.layers.size(), 2U);
  EXPECT_EQ(model->gguf.path(), file.path());
}

TEST(ModelTest, TheVocabularyMustFitTheEmbedding) {
  const TemporaryFolder folder;
  TinyVocab vocab = tiny_vocab();
  vocab.tokens.emplace_back("extra");
  vocab.types.push_back(1);
  GgufWriter writer = tiny_model();
  writer.remove("tokenizer.ggml.tokens").add_array("tokenizer.ggml.tokens", vocab.tokens);
  writer.remove("tokenizer.ggml.token_type").add_array("tokenizer.ggml.token_type", vocab.types);
  writer.write(folder / "m.gguf");
  EXPECT_EQ(error_of([&] { Model::load(folder / "m.gguf"); }),
            folder /
                "m.gguf: its vocabulary has 301 tokens, expected 300 as tensor "
                "token_embd.weight");
}

TEST(ModelTest, ACutFileIsRefusedWhereverItIsCut) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.gguf", good = tiny_model().bytes();
  const std::size_t n_header = tiny_model().header().size();
  std::size_t step = 1;
  for (std::size_t n = 0; n < good.size(); n += step) {
    std::ofstream(path, std::ios::binary).write(good.data(), static_cast<std::streamsize>(n));
    EXPECT_THAT(error_of([&] { Model::load(path); }), StartsWith(path + ": ")) << n;
    step = n < n_header ? 37 : 4001;
  }
}

// A damaged header: any error is fine, and so is a model that still makes sense; it must run then.
TEST(ModelTest, SurvivesDamagedHeaders) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.gguf", good = tiny_model({.n_layer = 1}).bytes();
  const std::size_t n_header = tiny_model({.n_layer = 1}).header().size();
  std::mt19937 rng(20250611);
  int n_loaded = 0;
  for (int trial = 0; trial < 600; ++trial) {
    std::string bytes = good;
    for (int i = 0; i <= trial % 3; ++i) bytes[rng() % n_header] = static_cast<char>(rng());
    std::ofstream(path, std::ios::binary) << bytes;
    const std::string message = error_of([&] {
      const auto model = Model::load(path);
      const std::vector<Token> tokens{1, 2, 3};
      run_model(*model, tokens, {.n_ctx = 16, .n_batch = 4}, {3});
      ++n_loaded;
    });
    for (const char c : message) EXPECT_TRUE(c >= ' ' && c <= '~') << message;
  }
  EXPECT_GT(n_loaded, 0);
  EXPECT_LT(n_loaded, 600);
}

class BadGgufTest : public testing::TestWithParam<const char*> {};

TEST_P(BadGgufTest, EveryMalformedFileHasItsVerdict) {
  CONFAB_NEEDS_GOLDEN_FOLDER();
  const TemporaryFolder folder;
  const std::string command = "python3 '" +
                              (golden_folder() / "bad_gguf/make_bad_gguf.py").string() + "' '" +
                              (golden_folder() / "arch" / GetParam() / "model.gguf").string() +
                              "' '" + folder.path() + "' >/dev/null 2>&1";
  if (const int status = std::system(command.c_str()); status != 0) {
    GTEST_SKIP() << "python3 is not here to make the malformed files";
  }
  int n_files = 0;
  for (const auto& entry : nlohmann::json::parse(read_text(folder / "manifest.json"))) {
    const std::string name = entry["file"], expect = entry["expect"];
    const std::string why = name + ": " + entry["why"].get<std::string>();
    const std::string path = folder / name;
    const std::string message = error_of([&] {
      const auto model = Model::load(path);
      const std::vector<Token> tokens{1, 2, 3};
      run_model(*model, tokens, {.n_ctx = 16, .n_batch = 4, .exact = false}, {2, 1});
    });
    ++n_files;
    if (expect == "reject") {
      EXPECT_NE(message, "") << why;
    }
    if (expect == "accept") {
      EXPECT_EQ(message, "") << why;
    }
    if (!message.empty()) {
      EXPECT_THAT(message, StartsWith(path + ": ")) << why;
    }
    for (const char c : message) EXPECT_TRUE(c >= ' ' && c <= '~') << message;
    std::filesystem::remove(path);
  }
  EXPECT_GT(n_files, 200);
}

INSTANTIATE_TEST_SUITE_P(, BadGgufTest, testing::Values("llama-tied", "llama3-ropefreqs"));

TEST(ModelShapeTest, HasTheSizesAndWeightsOfTheModel) {
  const TinyModelFile file;
  const Model shape = load_model_shape(Gguf(file.path()));
  const auto model = Model::load(file.path());
  EXPECT_EQ(shape.tokenizer, nullptr);
  EXPECT_EQ(shape.hparams.n_vocab, model->hparams.n_vocab);
  EXPECT_EQ(shape.hparams.n_embd, model->hparams.n_embd);
  EXPECT_EQ(shape.weights.layers.size(), model->weights.layers.size());
}

TEST(ModelShapeTest, AnUnknownArchitectureIsRefused) {
  const TemporaryFolder folder;
  GgufWriter writer = tiny_model();
  writer.remove("general.architecture").add("general.architecture", std::string("unheard-of"));
  writer.write(folder / "m.gguf");
  EXPECT_NE(error_of([&] { load_model_shape(Gguf(folder / "m.gguf")); }).find("unheard-of"),
            std::string::npos);
}

}  // namespace
}  // namespace confab::engine
