// SPDX-License-Identifier: MIT
#include "engine/platform/memory_pressure.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <string>

#include "tests/temp_dir.h"

namespace confab::engine::platform {
namespace {

namespace fs = std::filesystem;

[[maybe_unused]] bool is_readable(const PressureSource& source) {
  pollfd waiting{source.fd(), POLLIN, 0};
  return poll(&waiting, 1, 0) == 1 && (waiting.revents & POLLIN) != 0;
}

TEST(MemoryPressureTest, AFileSaysWhatThePressureIs) {
  const TempDir home;
  const fs::path file = home / "pressure";
  const auto source = make_file_pressure_source(file);
  EXPECT_EQ(source->take(), MemoryPressure::none) << "there is no file";
  home.file("pressure", "some\n");
  EXPECT_EQ(source->take(), MemoryPressure::some);
  home.file("pressure", "full");
  EXPECT_EQ(source->take(), MemoryPressure::full);
  EXPECT_EQ(source->take(), MemoryPressure::full) << "it still says so";
  home.file("pressure", "much");
  EXPECT_EQ(source->take(), MemoryPressure::none);
  EXPECT_NE(source->fd() >= 0, source->poll_interval().has_value());
}

TEST(MemoryPressureTest, AFolderThatIsNotThereIsAskedAgain) {
  const auto source = make_file_pressure_source("/none/at/all");
  EXPECT_EQ(source->take(), MemoryPressure::none);
  EXPECT_EQ(source->fd(), -1);
  EXPECT_TRUE(source->poll_interval());
}

#ifdef __linux__

TEST(MemoryPressureTest, AChangeOfTheFileIsAnEvent) {
  const TempDir home;
  const fs::path file = home / "pressure";
  const auto source = make_file_pressure_source(file);
  ASSERT_GE(source->fd(), 0);
  EXPECT_FALSE(is_readable(*source));
  home.file("pressure", "some");
  EXPECT_TRUE(is_readable(*source));
  EXPECT_EQ(source->take(), MemoryPressure::some);
  EXPECT_FALSE(is_readable(*source));
  home.file("new", "full");
  fs::rename(home / "new", file);
  EXPECT_TRUE(is_readable(*source));
  EXPECT_EQ(source->take(), MemoryPressure::full);
  fs::remove(file);
  EXPECT_TRUE(is_readable(*source));
  EXPECT_EQ(source->take(), MemoryPressure::none);
}

std::string stalls(const std::string& some, const std::string& full) {
  return "some avg10=" + some + " avg60=0.00 avg300=0.00 total=12345\n" + "full avg10=" + full +
         " avg60=0.00 avg300=0.00 total=1234\n";
}

TEST(MemoryPressureTest, AveragesTellWhereNoTriggerCanBeSet) {
  const TempDir root;
  const std::string name = "proc/pressure/memory";
  root.file(name, stalls("0.00", "0.00"));
  const auto source = make_system_pressure_source(root.path());
  EXPECT_EQ(source->fd(), -1);
  EXPECT_TRUE(source->poll_interval());
  EXPECT_EQ(source->take(), MemoryPressure::none);
  root.file(name, stalls("7.40", "4.90"));
  EXPECT_EQ(source->take(), MemoryPressure::none);
  root.file(name, stalls("7.50", "0.00"));
  EXPECT_EQ(source->take(), MemoryPressure::some);
  root.file(name, stalls("30.00", "5.00"));
  EXPECT_EQ(source->take(), MemoryPressure::full);
  root.file(name, "what is this");
  EXPECT_EQ(source->take(), MemoryPressure::none);
}

TEST(MemoryPressureTest, TheWorseOfMachineAndGroupCounts) {
  const TempDir root;
  root.file("proc/pressure/memory", stalls("9.00", "0.00"));
  root.file("proc/self/cgroup", "4:memory:/old\n0::/user.slice/app\n");
  root.file("sys/fs/cgroup/user.slice/app/memory.pressure", stalls("50.00", "40.00"));
  const auto source = make_system_pressure_source(root.path());
  EXPECT_EQ(source->take(), MemoryPressure::full);
  root.file("sys/fs/cgroup/user.slice/app/memory.pressure", stalls("0.00", "0.00"));
  EXPECT_EQ(source->take(), MemoryPressure::some);
}

TEST(MemoryPressureTest, WithoutStallInformationWhatIsLeftTells) {
  const TempDir root;
  const auto source = make_system_pressure_source(root.path());
  EXPECT_EQ(source->take(), MemoryPressure::none) << "nobody says anything";
  const auto left = [&](const std::string& kib) {
    root.file("proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: " + kib + " kB\n");
    return source->take();
  };
  EXPECT_EQ(left("60000"), MemoryPressure::none);
  EXPECT_EQ(left("40000"), MemoryPressure::some);
  EXPECT_EQ(left("10000"), MemoryPressure::full);
}

TEST(MemoryPressureTest, ThisMachineHasTriggersOrIsAskedAgain) {
  const auto source = make_system_pressure_source("/");
  EXPECT_NE(source->fd() >= 0, source->poll_interval().has_value());
  source->take();
}

#endif

}  // namespace
}  // namespace confab::engine::platform
