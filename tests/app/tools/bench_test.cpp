// SPDX-License-Identifier: MIT
#include "app/tools/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/error.h"
#include "engine/error.h"
#include "tests/app/tools/cut_file.h"
#include "tests/engine/nextn_model.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

class BenchTest : public ::testing::Test {
 protected:
  BenchTest() {
    options_.model.path = model_.path();
    options_.model.n_threads = 1;
    options_.n_prompt = 16;
    options_.n_gen = 4;
    options_.repetitions = 2;
    options_.json = true;
  }
  engine::TinyModelFile model_;
  BenchOptions options_;
  std::ostringstream out_, err_;
};

TEST_F(BenchTest, MeasuresADevice) {
  CONFAB_NEEDS_GPU();
  const kernels::vulkan::GpuInfo usable = *kernels::vulkan::some_gpu();
  options_.model.device = {engine::DeviceChoice::Kind::vulkan, usable.index};
  options_.parallel = {2};
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  EXPECT_THAT(err_.str(), testing::HasSubstr(usable.name));
  const auto rows = nlohmann::json::parse(out_.str());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[2]["test"], "tg4x2");
  for (const auto& row : rows) {
    EXPECT_GT(row["avg_ts"].get<double>(), 0);
    EXPECT_GT(row["share"].get<double>(), 0) << "of its own bandwidth";
  }
  out_.str("");
  options_.model.n_gpu_layers = 1;
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  EXPECT_EQ(nlohmann::json::parse(out_.str())[0]["share"], 0) << "of two memories";
  options_.passes = {2};
  EXPECT_THROW(run_bench(options_, out_, err_), UserError);
}

// Of the tensors of a file what a decoded token multiplies by: of the embedding its row, of experts
// those that it chooses.
std::uint64_t matrix_bytes_of_token(const std::string& path, std::uint64_t n_expert_used,
                                    std::uint64_t n_expert) {
  std::uint64_t n_bytes = 0;
  const engine::Gguf file(path);
  for (const engine::GgufTensor& tensor : file.tensors()) {
    if (tensor.name == "token_embd.weight")
      n_bytes += tensor.data.size() / static_cast<std::uint64_t>(tensor.n_rows());
    else if (tensor.name.ends_with("_exps.weight"))
      n_bytes += tensor.data.size() * n_expert_used / n_expert;
    else if (tensor.shape.size() == 2)
      n_bytes += tensor.data.size();
  }
  return n_bytes;
}

TEST_F(BenchTest, KernelsOfADeviceReadEachMatrixOnce) {
  CONFAB_NEEDS_GPU();
  options_.model.device = {engine::DeviceChoice::Kind::vulkan, kernels::vulkan::some_gpu()->index};
  options_.kernels = true;
  options_.n_depth = 32;
  for (const std::uint32_t n_expert : {0U, 8U}) {
    const engine::TinyModelFile file({.quantised = true, .n_expert = n_expert});
    options_.model.path = file.path();
    out_.str("");
    EXPECT_EQ(run_bench(options_, out_, err_), 0);
    const auto rows = nlohmann::json::parse(out_.str());
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0]["kernel_tokens"], 16);
    EXPECT_EQ(rows[1]["kernel_tokens"], 1);
    std::uint64_t n_bytes = 0, n_cached = 0;
    for (const auto& kernel : rows[1]["kernels"]) {
      n_bytes += kernel["weight_bytes"].get<std::uint64_t>();
      EXPECT_GE(kernel["dispatches"].get<int>(), 1);
      EXPECT_GT(kernel["instructions"].get<int>(), 0);
      n_cached += kernel["cache_bytes"].get<std::uint64_t>();
    }
    EXPECT_EQ(n_bytes, matrix_bytes_of_token(file.path(), 2, n_expert)) << n_expert;
    EXPECT_GT(n_cached, 0U);
  }
  options_.model.path = model_.path();
  options_.model.n_gpu_layers = 1;
  EXPECT_THROW(run_bench(options_, out_, err_), UserError) << "of a part of the layers";
}

TEST_F(BenchTest, KernelsAreOfAGraphicsProcessor) {
  options_.kernels = true;
  options_.model.device.kind = engine::DeviceChoice::Kind::cpu;
  EXPECT_THROW(run_bench(options_, out_, err_), UserError);
}

TEST_F(BenchTest, JsonHasTheDocumentedRows) {
  options_.n_depth = 32;
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  const auto rows = nlohmann::json::parse(out_.str());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["test"], "pp16@d32");
  EXPECT_EQ(rows[1]["test"], "tg4@d32");
  for (const auto& row : rows) {
    EXPECT_EQ(row["n_depth"], 32);
    EXPECT_GT(row["avg_ts"].get<double>(), 0);
    EXPECT_GT(row["median_ts"].get<double>(), 0);
    EXPECT_GE(row["stddev_ts"].get<double>(), 0);
    EXPECT_GT(row["read_gbs"].get<double>(), 0);
    EXPECT_GT(row["share"].get<double>(), 0);
  }
}

TEST_F(BenchTest, PassesHaveRowsOfTheirOwn) {
  options_.n_prompt = options_.n_gen = 0;
  options_.n_depth = 8;
  options_.passes = {1, 3};
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  const auto rows = nlohmann::json::parse(out_.str());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["test"], "pass1@d8");
  EXPECT_EQ(rows[1]["test"], "pass3@d8");
  for (const auto& row : rows) {
    EXPECT_EQ(row["n_gen"], 0);
    EXPECT_NEAR(row["median_ms"].get<double>(),
                1e3 * row["n_prompt"].get<double>() / row["median_ts"].get<double>(), 1e-6);
  }
  EXPECT_EQ(rows[1]["n_prompt"], 3);
}

TEST_F(BenchTest, SequencesThatAreWrittenTogetherHaveRowsOfTheirOwn) {
  options_.n_prompt = 0;
  options_.n_gen = 6;
  options_.n_depth = 8;
  options_.parallel = {1, 3};
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  const auto rows = nlohmann::json::parse(out_.str());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1]["test"], "tg6x1@d8");
  EXPECT_EQ(rows[2]["test"], "tg6x3@d8");
  EXPECT_EQ(rows[2]["n_parallel"], 3);
  EXPECT_GT(rows[2]["avg_ts"].get<double>(), 0);
  out_.str("");
  options_.json = false;
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  EXPECT_NE(out_.str().find("\n| sequences | tok/s of all | of the first |\n"), std::string::npos);
}

TEST_F(BenchTest, PassesAreComparedWithTheFirst) {
  options_.json = false;
  options_.n_gen = 0;
  options_.passes = {2, 4};
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  EXPECT_NE(out_.str().find("\n| tokens per pass | ms (median) | of the first |\n"),
            std::string::npos);
  EXPECT_NE(out_.str().find("| 1.00 |\n| 4 | "), std::string::npos);
}

TEST_F(BenchTest, AnAnswerIsReplayedWithAndWithoutLookUp) {
  const TempDir folder;
  options_.n_prompt = options_.n_gen = 0;
  options_.replay = {folder.file("prompt", "one two three four five six seven eight nine"),
                     folder.file("answer", "two three four five six seven eight")};
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  const auto rows = nlohmann::json::parse(out_.str());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["test"], "replay-plain");
  EXPECT_EQ(rows[0]["passes"], rows[0]["n_gen"]);
  EXPECT_EQ(rows[1]["test"], "replay");
  EXPECT_LT(rows[1]["passes"].get<int>(), rows[1]["n_gen"].get<int>());
  EXPECT_GT(rows[1]["lookup_accepted"].get<int>(), 0);
  EXPECT_GE(rows[1]["processor_ms"].get<double>(), 0);
  EXPECT_EQ(rows[1]["read_gbs"], 0) << "bandwidth is measured in vain";
}

// The cache has the answer at the end, which takes as many tokens as there are.
TEST_F(BenchTest, AnAnswerIsReplayedByAModelWithRecurrentLayers) {
  const TempDir folder;
  const engine::TinyModelFile recurrent({.architecture = "qwen35"});
  options_.model.path = recurrent.path();
  options_.model.draft = {.path = recurrent.path(), .wanted = true, .most = 3, .p_min = 0};
  options_.n_prompt = options_.n_gen = 0;
  options_.replay = {folder.file("prompt", "one two three"),
                     folder.file("answer", "one two three, one two three")};
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  const auto rows = nlohmann::json::parse(out_.str());
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_GT(rows[1]["lookup_accepted"].get<int>(), 0);
  EXPECT_GT(rows[2]["draft_tokens"].get<int>(), rows[2]["draft_accepted"].get<int>());
  for (const auto& row : rows)
    EXPECT_EQ(row["passes"].get<int>() + row["lookup_accepted"].get<int>() +
                  row["draft_accepted"].get<int>(),
              row["n_gen"].get<int>());
}

// Its guesses are noise, but of a model as large as this, whose noise is the same.
TEST_F(BenchTest, AnAnswerIsReplayedWithADraftModel) {
  const TempDir folder;
  options_.n_prompt = options_.n_gen = 0;
  options_.model.draft = {.path = options_.model.path, .wanted = true, .most = 3, .p_min = 0};
  options_.replay = {folder.file("prompt", "one two three"),
                     folder.file("answer", "four five six")};
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  const auto rows = nlohmann::json::parse(out_.str());
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[2]["test"], "replay-draft");
  EXPECT_EQ(rows[2]["lookup_tokens"], 0);
  EXPECT_GT(rows[2]["draft_tokens"].get<int>(), 0);
  EXPECT_EQ(rows[3]["test"], "replay-both");
  for (const auto& row : rows)
    EXPECT_EQ(row["passes"].get<int>() + row["lookup_accepted"].get<int>() +
                  row["draft_accepted"].get<int>(),
              row["n_gen"].get<int>());
}

// The head says what the model would, which is not what the answer has.
TEST_F(BenchTest, AnAnswerIsReplayedWithTheModelsOwnHead) {
  const TempDir folder;
  const engine::TinyModelFile tiny({.architecture = "glm4moe"});
  options_.model.path = folder / "m.gguf";
  engine::with_nextn(engine::Gguf(tiny.path()), {.block = 1}).write(options_.model.path);
  options_.n_prompt = options_.n_gen = 0;
  options_.model.draft.p_min = 0;
  options_.replay = {folder.file("prompt", "one two three"), folder.file("answer", "four five")};
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  const auto rows = nlohmann::json::parse(out_.str());
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["heads_tokens"], 0);
  EXPECT_GT(rows[2]["heads_tokens"].get<int>(), 0);
  EXPECT_EQ(rows[2]["draft_tokens"], 0);
  options_.model.drafts = false;
  out_.str("");
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  EXPECT_EQ(nlohmann::json::parse(out_.str()).size(), 2U);
}

TEST_F(BenchTest, AReplayThatDoesNotFitSaysWhatDoes) {
  const TempDir folder;
  options_.model.n_ctx = 32;
  options_.replay = {folder.file("prompt", std::string(100, 'a')), folder.file("answer", "b")};
  options_.n_prompt = options_.n_gen = 0;
  EXPECT_THROW(run_bench(options_, out_, err_), UserError);
  options_.replay[0] = "/nowhere";
  EXPECT_THROW(run_bench(options_, out_, err_), UserError);
}

TEST_F(BenchTest, MarkdownAndBarriers) {
  options_.json = false;
  options_.verbose = true;
  options_.n_prompt = 0;
  EXPECT_EQ(run_bench(options_, out_, err_), 0);
  EXPECT_NE(out_.str().find("| tg4 |"), std::string::npos);
  EXPECT_EQ(out_.str().find("| pp"), std::string::npos);
  EXPECT_EQ(out_.str().find("per pass"), std::string::npos);
  EXPECT_NE(out_.str().find("barriers per decoded token"), std::string::npos);
}

// What is said of the model is written when it has been loaded.
TEST_F(BenchTest, AFileThatIsCutShortIsNamed) {
  CutFile cut(model_.path());
  std::ostream err(&cut);
  try {
    run_bench(options_, out_, err);
    ADD_FAILURE() << "figures over zeros: " << out_.str();
  } catch (const engine::ModelError& fault) {
    EXPECT_THAT(fault.what(), testing::StartsWith(std::string(model_.path()) + ": the file was"));
  }
  EXPECT_EQ(out_.str(), "");
}

TEST_F(BenchTest, AContextThatIsTooSmallIsRefused) {
  options_.model.n_ctx = 8;
  EXPECT_THROW(run_bench(options_, out_, err_), UserError);
}

}  // namespace
}  // namespace confab::app
