// SPDX-License-Identifier: MIT
#include "app/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/temp_dir.h"

namespace confab::app {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(EventLogTest, LinesHaveTheTime) {
  const TempDir home;
  const EventLog log(home / "state" / "log");
  log.add("one");
  log.add("two");
  EXPECT_THAT(text_of(home / "state" / "log"),
              testing::MatchesRegex("20[0-9-]*T[0-9:]*Z one\n20[0-9-]*T[0-9:]*Z two\n"));
}

TEST(EventLogTest, AFileThatIsFullMakesPlace) {
  const TempDir home;
  home.file("log", std::string(256 << 10, 'x'));
  home.file("log.1", "old");
  EventLog(home / "log").add("one");
  EXPECT_LT(text_of(home / "log").size(), 40U);
  EXPECT_EQ(text_of(home / "log.1").size(), 256U << 10);
}

TEST(EventLogTest, WhatCannotBeWrittenIsLeftOut) {
  const TempDir home;
  const std::string file = home.file("file", "text");
  EventLog(std::filesystem::path(file) / "log").add("one");
  EventLog("").add("one");
  EXPECT_EQ(text_of(file), "text");
}

}  // namespace
}  // namespace confab::app
