// SPDX-License-Identifier: MIT
#include "engine/platform/read_rate.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

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

TEST_F(ReadRateTest, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(measure_read_rate(file(8 << 20), milliseconds(200), source.get_token()), 0);
}

}  // namespace
}  // namespace confab::engine::platform
