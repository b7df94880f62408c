// SPDX-License-Identifier: MIT
#include "app/tools/npy.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

TEST(NpyTest, WritesTheHeaderThatNumPyReads) {
  const TempDir dir;
  const std::string path = (dir.path() / "a.npy").string();
  const std::array<float, 6> values{1, 2, 3, 4, 5, 6.5F};
  NpyWriter out(path, 2, 3);
  out.write(std::span(values).first(3));
  out.write(std::span(values).last(3));
  out.close();

  const std::string file = read_file(path);
  ASSERT_GT(file.size(), 10U);
  EXPECT_EQ(file.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t header =
      static_cast<unsigned char>(file[8]) + 256U * static_cast<unsigned char>(file[9]);
  EXPECT_EQ((10 + header) % 64, 0U);
  EXPECT_EQ(file[10 + header - 1], '\n');
  EXPECT_NE(file.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"),
            std::string::npos);
  ASSERT_EQ(file.size(), 10 + header + sizeof(values));
  EXPECT_EQ(std::memcmp(file.data() + 10 + header, values.data(), sizeof(values)), 0);
}

TEST(NpyTest, APlaceThatCannotBeWrittenIsNamed) {
  EXPECT_THROW(NpyWriter("/no/such/folder/a.npy", 1, 1), std::runtime_error);
  EXPECT_THROW(NpyWriter("/dev/null", 1, 1), UserError);
}

TEST(NpyTest, WithoutCloseTheFormerFileStays) {
  const TempDir dir;
  const std::string path = dir.file("a.npy", "former");
  { NpyWriter(path, 1, 1); }
  EXPECT_EQ(read_file(path), "former");
}

}  // namespace
}  // namespace confab::app
