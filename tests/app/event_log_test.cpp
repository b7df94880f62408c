// SPDX-License-Identifier: MIT
#include "app/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/temp_dir.h"

namespace confab::app {
namespace {

TEST(EventLogTest, LinesHaveTheTime) {
  const TempDir home;
  const EventLog log(home / "state" / "log");
  log.add("one");
  log.add("two");
  EXPECT_THAT(read_file(home / "state" / "log"),
              testing::MatchesRegex("20[0-9-]*T[0-9:]*Z one\n20[0-9-]*T[0-9:]*Z two\n"));
}

TEST(EventLogTest, AFileThatIsFullMakesPlace) {
  const TempDir home;
  home.file("log", std::string(256 << 10, 'x'));
  home.file("log.1", "old");
  EventLog(home / "log").add("one");
  EXPECT_LT(read_file(home / "log").size(), 40U);
  EXPECT_EQ(read_file(home / "log.1").size(), 256U << 10);
}

TEST(EventLogTest, WhatCannotBeWrittenIsLeftOut) {
  const TempDir home;
  const std::string file = home.file("file", "text");
  EventLog(std::filesystem::path(file) / "log").add("one");
  EventLog("").add("one");
  EXPECT_EQ(read_file(file), "text");
}

}  // namespace
}  // namespace confab::app
