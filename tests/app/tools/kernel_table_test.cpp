// SPDX-License-Identifier: MIT
#include "app/tools/bench_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace confab::app {
namespace {

using testing::HasSubstr;

std::vector<engine::ProgramRun> pass(bool timed) {
  const double time = timed ? 1000 : 0;
  return {{"embed", "Q4_K", 300, 1024, 0, time},      {"norm", "", 200, 0, 0, time},
          {"matvec", "Q4_K", 700, 4096, 0, 3 * time}, {"matvec", "Q6_K planes", 800, 2048, 0, time},
          {"attention", "", 900, 0, 512, time},       {"norm", "", 200, 0, 0, 7 * time},
          {"matvec", "Q4_K", 700, 4096, 0, time}};
}

std::vector<std::string> names(const std::vector<KernelRow>& rows) {
  std::vector<std::string> all;
  for (const KernelRow& row : rows) all.push_back(row.program + ' ' + row.format);
  return all;
}

TEST(KernelTableTest, RunsOfAProgramForAFormatAreOneRow) {
  const std::vector<KernelRow> rows = kernel_rows(pass(false));
  EXPECT_EQ(names(rows), (std::vector<std::string>{"matvec Q4_K", "matvec Q6_K planes",
                                                   "embed Q4_K", "attention ", "norm "}));
  EXPECT_EQ(rows[0].n_dispatches, 2);
  EXPECT_EQ(rows[0].weight_bytes, 8192U);
  EXPECT_EQ(rows[0].n_instructions, 700) << "of the program, not of its runs";
  EXPECT_EQ(rows[3].cache_bytes, 512U);
}

TEST(KernelTableTest, WhatTakesMostTimeIsFirstWhereItIsKnown) {
  const std::vector<KernelRow> rows = kernel_rows(pass(true));
  EXPECT_EQ(rows[0].program, "norm");
  EXPECT_EQ(rows[0].nanoseconds, 8000);
  EXPECT_EQ(rows[1].nanoseconds, 4000);
}

TEST(KernelTableTest, PrintsSharesAndSums) {
  std::ostringstream timed, untimed;
  print_kernels("tg128", 1, kernel_rows(pass(true)), timed);
  EXPECT_THAT(timed.str(), HasSubstr("\nkernels of a pass of 1 token (tg128):\n\n| kernel |"));
  EXPECT_THAT(timed.str(), HasSubstr("| norm | – | 2 | 200 | – | – | 0.0 % | 8.0 µs | 53.3 % |\n"));
  EXPECT_THAT(timed.str(),
              HasSubstr("| matvec | Q4_K | 2 | 700 | 8.0 KiB | – | 69.6 % | 4.0 µs | 26.7 % |\n"));
  EXPECT_THAT(timed.str(),
              HasSubstr("| all | – | 7 | – | 11.0 KiB | 512 B | 100.0 % | 15.0 µs | 100.0 % |\n"));
  print_kernels("pp512", 512, kernel_rows(pass(false)), untimed);
  EXPECT_THAT(untimed.str(), HasSubstr("pass of 512 tokens (pp512)"));
  EXPECT_THAT(untimed.str(), HasSubstr("| all | – | 7 | – | 11.0 KiB | 512 B | 100.0 % | – | – |"));
}

}  // namespace
}  // namespace confab::app
