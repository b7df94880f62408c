// SPDX-License-Identifier: MIT
#include "app/tools/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ui/text.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

FitRow row(std::uint64_t memory, std::string_view size, std::string_view type, double gbs = 20) {
  const std::vector<FitRow> rows = fit_rows(memory, gbs);
  return *std::ranges::find_if(rows,
                               [&](const FitRow& r) { return r.size == size && r.type == type; });
}

TEST(FitTableTest, MoreMemoryHoldsALongerContext) {
  const FitRow small = row(6 * kGiB, "8B", "Q4_K_M"), large = row(8 * kGiB, "8B", "Q4_K_M");
  EXPECT_GT(small.n_ctx, 0);
  EXPECT_LT(small.n_ctx, large.n_ctx);
  EXPECT_EQ(row(4 * kGiB, "8B", "Q4_K_M").n_ctx, 0);
  EXPECT_EQ(row(1000 * kGiB, "8B", "Q4_K_M").n_ctx, 131072) << "the model's own limit";
  EXPECT_LT(small.bytes_8k, small.bytes_32k);
}

TEST(FitTableTest, TheLongestContextIsWhatFitsAndNoMore) {
  const FitRow any = row(8 * kGiB, "8B", "Q4_K_M");
  const FitRow exact = row(any.bytes_8k, "8B", "Q4_K_M");
  EXPECT_EQ(exact.n_ctx, 8192);
  EXPECT_EQ(row(any.bytes_8k - 1, "8B", "Q4_K_M").n_ctx, 8192 - 256);
}

// 4.6 GiB of weights less the embedding, and half of 8192 tokens: about 5 GB.
TEST(FitTableTest, SpeedIsBandwidthByWhatATokenReads) {
  const FitRow eight = row(16 * kGiB, "8B", "Q4_K_M", 50);
  EXPECT_NEAR(eight.tokens_per_second, 10, 0.7);
  EXPECT_EQ(row(16 * kGiB, "8B", "Q4_K_M", 0).tokens_per_second, 0);
  EXPECT_EQ(row(16 * kGiB, "70B", "Q4_K_M").tokens_per_second, 0);
  EXPECT_GT(row(64 * kGiB, "30B-A3B", "Q4_K_M").tokens_per_second,
            5 * row(64 * kGiB, "32B", "Q4_K_M").tokens_per_second)
      << "a token reads a tenth of the mixture";
}

TEST(FitTableTest, AMixtureMayComeFromTheDisk) {
  const FitRow mixture = row(8 * kGiB, "30B-A3B", "Q4_K_M");
  EXPECT_EQ(mixture.n_ctx, 0);
  EXPECT_TRUE(mixture.from_disk);
  EXPECT_FALSE(row(8 * kGiB, "32B", "Q4_K_M").from_disk);
  EXPECT_FALSE(row(1 * kGiB, "30B-A3B", "Q4_K_M").from_disk);
  EXPECT_FALSE(row(64 * kGiB, "30B-A3B", "Q4_K_M").from_disk);
}

TEST(FitTableTest, IsPrinted) {
  std::ostringstream table, json;
  const std::vector<FitRow> rows = fit_rows(16 * kGiB, 20);
  print_fit_table(rows, "16.0 GiB of memory", table);
  EXPECT_THAT(table.str(),
              testing::StartsWith("16.0 GiB of memory\n\n| model            | file   |"));
  EXPECT_THAT(table.str(), HasSubstr("\n| 8B (Llama 3.1)   | Q4_K_M |   4.6 |   5.2 |"));
  EXPECT_THAT(table.str(), HasSubstr("\n| 405B (Llama 3.1) | Q3_K_S | 163.2 |"));
  EXPECT_THAT(table.str(), HasSubstr("| from disk |     – |\n"));
  std::istringstream lines(table.str());
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(ui::width(line), ui::Cols{80}) << line;
  print_fit_table_json(rows, 16 * kGiB, 20, json);
  const auto parsed = nlohmann::json::parse(json.str());
  EXPECT_EQ(parsed["memory_bytes"], 16 * kGiB);
  EXPECT_EQ(parsed["models"].size(), rows.size());
  EXPECT_EQ(parsed["models"][0]["size"], "3B");
}

}  // namespace
}  // namespace confab::app
