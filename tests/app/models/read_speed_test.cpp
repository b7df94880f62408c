// SPDX-License-Identifier: MIT
#include "app/models/read_speed.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "tests/app/home_dir.h"

namespace confab::app {
namespace {

TEST(ReadSpeedTest, IsKeptForItsThreadsAndInstructions) {
  const TempDir dir;
  const auto file = dir / "a/b/read_speed.json";
  EXPECT_EQ(kept_read_gbs(file, {4, "avx2"}), 0);
  keep_read_gbs(file, {4, "avx2"}, 18.5);
  EXPECT_EQ(kept_read_gbs(file, {4, "avx2"}), 18.5);
  EXPECT_EQ(kept_read_gbs(file, {2, "avx2"}), 0);
  EXPECT_EQ(kept_read_gbs(file, {4, "scalar"}), 0);
  keep_read_gbs(file, {2, "avx2"}, 9);
  EXPECT_EQ(kept_read_gbs(file, {2, "avx2"}), 9);
}

TEST(ReadSpeedTest, NonsenseIsNoMeasurement) {
  const TempDir dir;
  for (const char* text : {"", "{", "[]", R"({"n_threads": 4, "isa": "avx2"})",
                           R"({"n_threads": "4", "isa": "avx2", "read_gbs": 3})",
                           R"({"n_threads": 4, "isa": "avx2", "read_gbs": "fast"})",
                           R"({"n_threads": 4, "isa": "avx2", "read_gbs": -1})"})
    EXPECT_EQ(kept_read_gbs(dir.file("speed", text), {4, "avx2"}), 0) << text;
}

TEST(ReadSpeedTest, IsMeasuredAgainAfterADay) {
  const TempDir dir;
  const auto file = dir / "read_speed.json";
  EXPECT_FALSE(is_read_speed_fresh(file));
  keep_read_gbs(file, {4, "avx2"}, 18.5);
  EXPECT_TRUE(is_read_speed_fresh(file));
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(file, now - std::chrono::hours(25));
  EXPECT_FALSE(is_read_speed_fresh(file));
  EXPECT_EQ(kept_read_gbs(file, {4, "avx2"}), 18.5);
}

TEST(ReadSpeedTest, WhereItCannotBeKeptNothingHappens) {
  const TempDir dir;
  const std::string in_the_way = dir.file("x", "");
  keep_read_gbs(in_the_way + "/speed.json", {4, "avx2"}, 1);
  EXPECT_EQ(kept_read_gbs(in_the_way + "/speed.json", {4, "avx2"}), 0);
}

TEST(ReadSpeedTest, LiesWithTheCachesAndIsNotMeasuredBySomebodyWhoAsks) {
  const HomeDir home;
  EXPECT_EQ(read_speed_file(), home / ".cache/confab/read_speed.json");
  EXPECT_EQ(usual_read_gbs(), 0);
}

}  // namespace
}  // namespace confab::app
