// SPDX-License-Identifier: MIT
#include "engine/gguf/mapped_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <utility>

#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

std::string error_at(const std::string& path) {
  return error_of([&] { const MappedFile file(path); });
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
  EXPECT_EQ(error_at(folder / "fifo"),
            folder / "fifo" + ": is a special file, expected a regular file");
  EXPECT_EQ(error_at(folder.path()), folder.path() + ": is a directory, expected a regular file");
  EXPECT_EQ(error_at(folder / "none"),
            folder / "none" + ": cannot open the file: No such file or directory");
}

}  // namespace
}  // namespace confab::engine
