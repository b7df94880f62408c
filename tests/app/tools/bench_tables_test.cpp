// SPDX-License-Identifier: MIT
#include "app/tools/bench_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<BenchRow> rows() {
  std::vector<BenchRow> all;
  for (const int n : {1, 4}) {
    const double speed = n == 1 ? 100 : 200;
    all.push_back({.test = "pass" + std::to_string(n),
                   .n_prompt = n,
                   .n_gen = 0,
                   .n_depth = 0,
                   .avg_ts = speed,
                   .median_ts = speed,
                   .stddev_ts = 1,
                   .bytes_per_token = 1e8,
                   .pass = true});
  }
  for (const double speed : {50.0, 125.0}) {
    all.push_back({.test = "replay",
                   .n_prompt = 7,
                   .n_gen = 30,
                   .n_depth = 0,
                   .avg_ts = speed,
                   .median_ts = speed,
                   .stddev_ts = 0,
                   .bytes_per_token = 1e8});
    all.back().replay = Replay{.n_passes = speed > 100 ? 10 : 30};
  }
  all.back().replay->by_lookup = {.n_drafted = 16, .n_accepted = 12};
  all.back().replay->by_heads = {.n_drafted = 9, .n_accepted = 8};
  return all;
}

TEST(BenchTablesTest, ComparePassesAndReplays) {
  std::ostringstream out;
  print_bench_markdown(rows(), 20, out);
  EXPECT_THAT(out.str(), HasSubstr("| pass1 | 100.0 | 100.0 | ± 1.0 | 50 % |\n"));
  EXPECT_THAT(out.str(), HasSubstr("| 1 | 10.00 | 1.00 |\n| 4 | 20.00 | 2.00 |\n"));
  EXPECT_THAT(out.str(), HasSubstr("| replay | 2.50 | 3.00 | 12 of 16 | 8 of 9 |\n"));
  EXPECT_THAT(out.str(), Not(HasSubstr("sequences")));
}

TEST(BenchTablesTest, TellsTheFirstTokenAndThePeakOfMemory) {
  constexpr std::uint64_t kMiB = 1 << 20;
  std::vector<BenchRow> all = rows();
  all.push_back({.test = "pp512",
                 .n_prompt = 512,
                 .n_gen = 0,
                 .n_depth = 0,
                 .avg_ts = 256,
                 .median_ts = 256,
                 .stddev_ts = 0,
                 .bytes_per_token = 1e8});
  all.back().memory = {30 * kMiB, 500 * kMiB, 540 * kMiB};
  all.front().memory = {40 * kMiB, 100 * kMiB, 200 * kMiB};
  std::ostringstream table, json;
  print_bench_markdown(all, 20, table);
  EXPECT_THAT(table.str(), HasSubstr("\nfirst token: after 2000 ms (pp512)\n"));
  EXPECT_THAT(table.str(),
              HasSubstr("\nmemory at its peak: 40.0 MiB anonymous, 500.0 MiB mapped\n"));
  print_bench_json(all, 20, json);
  const auto found = nlohmann::json::parse(json.str());
  EXPECT_EQ(found[4]["ttft_ms"], 2000);
  EXPECT_EQ(found[4]["anonymous_bytes"], 30 * kMiB);
  EXPECT_EQ(found[4]["mapped_bytes"], 500 * kMiB);
  EXPECT_FALSE(found[0].contains("ttft_ms")) << "a pass is no prompt";
  EXPECT_FALSE(found[1].contains("mapped_bytes")) << "not measured";
}

TEST(BenchTablesTest, KernelsStandBelowTheirTests) {
  std::vector<BenchRow> all = rows();
  all[1].n_kernel_tokens = 4;
  all[1].kernels =
      kernel_rows({{"matvec", "Q4_K", 700, 4096, 0, 1500}, {"attention", "", 900, 0, 512, 0}});
  std::ostringstream table, json;
  print_bench_markdown(all, 20, table);
  EXPECT_THAT(table.str(), HasSubstr("\nkernels of a pass of 4 tokens (pass4):\n"));
  print_bench_json(all, 20, json);
  const auto found = nlohmann::json::parse(json.str());
  EXPECT_FALSE(found[0].contains("kernels"));
  EXPECT_EQ(found[1]["kernel_tokens"], 4);
  EXPECT_EQ(found[1]["kernels"], nlohmann::json::parse(R"([
    {"program": "matvec", "format": "Q4_K", "dispatches": 1, "instructions": 700,
     "weight_bytes": 4096, "cache_bytes": 0, "nanoseconds": 1500.0},
    {"program": "attention", "format": "", "dispatches": 1, "instructions": 900,
     "weight_bytes": 0, "cache_bytes": 512}])"));
}

TEST(BenchTablesTest, JsonHasWhatOnlySomeTestsHave) {
  std::ostringstream out;
  print_bench_json(rows(), 20, out);
  const auto found = nlohmann::json::parse(out.str());
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[1]["median_ms"], 20);
  EXPECT_FALSE(found[2].contains("median_ms"));
  EXPECT_EQ(found[3]["heads_accepted"], 8);
  EXPECT_EQ(found[3]["lookup_tokens"], 16);
  EXPECT_FALSE(found[0].contains("passes"));
}

}  // namespace
}  // namespace confab::app
