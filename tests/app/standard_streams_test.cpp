// SPDX-License-Identifier: MIT
#include "app/standard_streams.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/app/program.h"

namespace confab::app {
namespace {

RunResult shell(const std::string& line) {
  const TempDir home;
  return run_command(home, {"/bin/bash", "-c", "confab=" + confab_program() + "; " + line});
}

bool has_full_device() {
  return std::filesystem::exists("/dev/full");
}

TEST(StandardStreamsTest, StandardErrorThatCannotBeWrittenChangesNoStatus) {
  if (!has_full_device()) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(shell("$confab --no-such-option 2>/dev/full").status, 2);
  EXPECT_EQ(shell("$confab --no-such-option 2>&-").status, 2);
  EXPECT_EQ(shell("$confab -m nosuch -p q 2>/dev/full </dev/null").status, 5);
  EXPECT_EQ(shell("$confab -m nosuch -p q 2> >(exit) </dev/null; s=$?; exit $s").status, 5);
}

TEST(StandardStreamsTest, OutputThatIsNotWrittenIsAnError) {
  if (!has_full_device()) GTEST_SKIP() << "no /dev/full here";
  for (const char* words : {"--help", "--version", "--man", "batch --help", "config", "templates",
                            "--completion bash", "--candidates theme", "list; $confab help fit"}) {
    const RunResult result = shell(std::string("$confab ") + words + " >/dev/full");
    EXPECT_EQ(result.status, 1) << words;
    EXPECT_EQ(result.err, "confab: standard output: cannot be written: No space left on device\n")
        << words;
  }
}

TEST(StandardStreamsTest, AReaderThatLeavesHasWhatItWanted) {
  const RunResult result = shell("set -o pipefail; $confab --man | head -n 1 >/dev/null");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace confab::app
