// SPDX-License-Identifier: MIT
#include "engine/platform/read_rate.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "engine/platform/pressure.h"
#include "tests/temp_dir.h"

namespace confab::engine::platform {
namespace {

using std::chrono::milliseconds;

class ReadRateTest : public testing::Test {
 protected:
  std::filesystem::path file(std::size_t n_bytes) const {
    const std::filesystem::path path = dir_ / "weights";
    std::ofstream(path, std::ios::binary) << std::string(n_bytes, 'x');
    return path;
  }

 private:
  TempDir dir_;
};

TEST_F(ReadRateTest, AFileIsReadAtSomeSpeed) {
  EXPECT_GT(measure_read_rate(file(8 << 20), milliseconds(200)), 0);
}

TEST_F(ReadRateTest, WithoutTimeOnePieceIsRead) {
  EXPECT_GT(measure_read_rate(file(8 << 20), milliseconds(0)), 0);
}

TEST_F(ReadRateTest, NothingIsReadOfWhatIsNotThereOrTooSmall) {
  EXPECT_EQ(measure_read_rate("/nowhere/weights", milliseconds(200)), 0);
  EXPECT_EQ(measure_read_rate(file(1000), milliseconds(200)), 0);
}

// What was touched is the model's own, and stays.
TEST_F(ReadRateTest, WhatIsNotInMemoryIsReadAsWeightsAre) {
  const std::filesystem::path path = file(8 << 20);
#ifdef __linux__
  const int fd = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::fdatasync(fd), 0);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
#endif
  EXPECT_GT(measure_read_rate(path, milliseconds(200)), 0);
  EXPECT_GT(cached_share(path), 0);
}

TEST_F(ReadRateTest, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(measure_read_rate(file(8 << 20), milliseconds(200), source.get_token()), 0);
}

}  // namespace
}  // namespace confab::engine::platform
