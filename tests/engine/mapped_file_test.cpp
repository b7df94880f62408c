// SPDX-License-Identifier: MIT
#include "engine/mapped_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <utility>

#include "engine/error.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

std::string error_of(const std::string& path) {
  try {
    const MappedFile file(path);
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

TEST(MappedFileTest, ShowsTheBytesOfTheFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "hello";
  MappedFile first(folder / "file");
  const MappedFile file = std::move(first);
  ASSERT_EQ(file.bytes().size(), 5U);
  EXPECT_EQ(file.bytes()[0], std::byte{'h'});
  EXPECT_TRUE(first.bytes().empty());  // NOLINT: a moved-from file is empty
}

TEST(MappedFileTest, AnEmptyFileHasNoBytes) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file").close();
  EXPECT_TRUE(MappedFile(folder / "file").bytes().empty());
}

TEST(MappedFileTest, RefusesWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_of(folder / "fifo"),
            folder / "fifo" + ": is a special file, expected a regular file");
  EXPECT_EQ(error_of(folder.path()), folder.path() + ": is a directory, expected a regular file");
  EXPECT_EQ(error_of(folder / "none"),
            folder / "none" + ": cannot open the file: No such file or directory");
}

}  // namespace
}  // namespace confab::engine
