// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_directory.h"

#include <gmock/gmock.h>

#include "sessions/error.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

const BlockKey kRoot = root_key("fp", 4);

BlockName name(int parent, int id, bool full = true) {
  return {.root = kRoot,
          .parent = parent == 0 ? kRoot : child_key(kRoot, {{parent}}),
          .key = child_key(kRoot, {{id}}),
          .full = full};
}

void put(const BlockDirectory& directory, const BlockName& name, const std::string& bytes) {
  directory.make_folder_of(name);
  write_file(directory.path_of(name), bytes);
}

TEST(BlockDirectoryTest, NamesTellTheTree) {
  const TempDir dir;
  const BlockDirectory directory(dir / "a/kv");
  for (const auto& n : {name(0, 1), name(0, 2, false), name(1, 3)}) put(directory, n, "xyz");
  EXPECT_THAT(directory.children(kRoot, kRoot),
              testing::UnorderedElementsAre(name(0, 1), name(0, 2, false)));
  EXPECT_THAT(directory.children(kRoot, name(0, 1).key), testing::ElementsAre(name(1, 3)));
  EXPECT_TRUE(directory.children(kRoot, name(0, 2).key).empty());
  EXPECT_TRUE(directory.children(name(0, 1).key, kRoot).empty());
  const auto files = directory.scan();
  ASSERT_EQ(files.size(), 3u);
  for (const auto& file : files) {
    EXPECT_EQ(file.bytes, 3u);
    const auto age = std::chrono::system_clock::now().time_since_epoch() - file.used;
    EXPECT_LT(age, std::chrono::minutes(5));
    EXPECT_GT(age, -std::chrono::minutes(5));
  }
}

TEST(BlockDirectoryTest, OtherFilesAreLeftAlone) {
  const TempDir dir;
  const BlockDirectory directory(dir.path());
  put(directory, name(0, 1), "x");
  const auto folder = directory.path_of(name(0, 1)).parent_path();
  const auto good = directory.path_of(name(0, 1)).filename().string();
  for (const auto& other : {"notes.txt", ".tmp-1-2", "x.kvb"}) write_file(folder / other, "y");
  write_file(folder / (good.substr(0, good.size() - 1) + "x"), "y");
  write_file(folder / std::string(good).replace(32, 1, "+"), "y");
  write_file(folder / std::string(good).replace(3, 1, "G"), "y");
  write_file(folder.parent_path().parent_path() / "file", "y");
  EXPECT_EQ(directory.scan().size(), 1u);
  EXPECT_EQ(directory.children(kRoot, kRoot).size(), 1u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 7);
}

TEST(BlockDirectoryTest, AScanTidiesUp) {
  const TempDir dir;
  const BlockDirectory directory(dir.path());
  put(directory, name(0, 1), "x");
  const auto folder = directory.path_of(name(0, 1)).parent_path();
  write_file(folder / ".tmp-old", "y");
  write_file(folder / ".tmp-new", "y");
  std::filesystem::last_write_time(
      folder / ".tmp-old", std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  directory.scan();
  EXPECT_FALSE(std::filesystem::exists(folder / ".tmp-old"));
  EXPECT_TRUE(std::filesystem::exists(folder / ".tmp-new"));
  std::filesystem::remove(folder / ".tmp-new");
  directory.remove(name(0, 1));
  directory.scan();
  EXPECT_FALSE(std::filesystem::exists(folder.parent_path()));
  EXPECT_TRUE(std::filesystem::exists(dir / "CACHEDIR.TAG"));
}

TEST(BlockDirectoryTest, TouchingMakesYoung) {
  const TempDir dir;
  const BlockDirectory directory(dir.path());
  put(directory, name(0, 1), "x");
  const auto path = directory.path_of(name(0, 1));
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  ::chmod(path.c_str(), 0400);
  const auto before = directory.scan()[0].used;
  directory.touch(name(0, 1));
  EXPECT_GT(directory.scan()[0].used, before);
  directory.touch(name(0, 2));  // not there: nothing happens
}

TEST(BlockDirectoryTest, ABlockInTheWrongPlaceIsNone) {
  const TempDir dir;
  const BlockDirectory directory(dir.path());
  put(directory, name(0, 1), "x");
  const auto path = directory.path_of(name(0, 1));
  const auto elsewhere = path.parent_path().parent_path() / "zz" / path.filename();
  std::filesystem::create_directory(elsewhere.parent_path());
  std::filesystem::rename(path, elsewhere);
  EXPECT_TRUE(directory.scan().empty());
  EXPECT_EQ(directory.remove_foreign().n_files, 1U);
}

TEST(BlockDirectoryTest, WhatIsForeignIsRemovedOnRequest) {
  const TempDir dir;
  const BlockDirectory directory(dir / "kv");
  put(directory, name(0, 1), "xyz");
  put(directory, name(0, 2, false), "xyz");
  const auto block = directory.path_of(name(0, 1));
  const auto folder = block.parent_path();
  const std::string target = dir.file("elsewhere/target", "kept");
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  for (const auto& path : {dir.file("kv/v0/a/b/c", "1234"), dir.file("kv/v12345/c", "12"),
                           (folder / "notes.txt").string(), (folder / ".tmp-old").string(),
                           dir.file("kv/.tmp-uses", "1")}) {
    if (!std::filesystem::exists(path)) write_file(path, "1");
    std::filesystem::last_write_time(path, old);
  }
  write_file(folder / ".tmp-new", "still being written");
  std::filesystem::create_directory_symlink(dir / "elsewhere",
                                            folder.parent_path() / "ab");  // not followed
  std::filesystem::create_directory_symlink(dir / "elsewhere",
                                            folder.parent_path().parent_path() / "link");
  std::filesystem::create_directories(directory.path_of(name(0, 3)) / "in place of a block");
  for (const auto& kept : {"kv/version", "kv/v", "kv/vx", "kv/v1x", "kv/uses"})
    dir.file(kept, "kept");
  const Removed removed = directory.remove_foreign();
  EXPECT_EQ(removed.n_files, 7U);
  EXPECT_FALSE(std::filesystem::exists(dir / "kv/v0"));
  EXPECT_FALSE(std::filesystem::exists(dir / "kv/v12345"));
  EXPECT_FALSE(std::filesystem::exists(dir / "kv/.tmp-uses"));
  EXPECT_FALSE(std::filesystem::exists(directory.path_of(name(0, 3))));
  EXPECT_TRUE(std::filesystem::exists(folder / ".tmp-new"));
  EXPECT_EQ(read_file(target), "kept");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 3);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.parent_path()), {}), 1);
  EXPECT_EQ(directory.scan().size(), 2U);
  for (const auto& kept : {"kv/version", "kv/v", "kv/vx", "kv/v1x", "kv/uses", "kv/CACHEDIR.TAG"})
    EXPECT_TRUE(std::filesystem::exists(dir / kept)) << kept;
  EXPECT_EQ(directory.remove_foreign().n_files, 0U);
}

TEST(BlockDirectoryTest, ClearingLeavesWhatIsNotOfThisProgram) {
  const TempDir dir;
  const BlockDirectory directory(dir / "kv");
  put(directory, name(0, 1), "xyz");
  dir.file("kv/v0/a/b", "1234");
  dir.file("kv/uses", "12");
  dir.file("kv/facts/a", "1");
  dir.file("kv/gc.lock", "");
  dir.file("kv/notes.txt", "kept");
  const Removed removed = directory.clear();
  EXPECT_EQ(removed.n_files, 4U);
  EXPECT_EQ(removed.bytes, 10U);
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(dir / "kv"))
    left.push_back(entry.path().filename().string());
  EXPECT_THAT(left, testing::UnorderedElementsAre("CACHEDIR.TAG", "gc.lock", "notes.txt"));
  put(directory, name(0, 1), "xyz");  // goes on as before
  EXPECT_EQ(directory.scan().size(), 1U);
}

TEST(BlockDirectoryTest, ADeletedDirectoryIsMadeAgain) {
  const TempDir dir;
  const BlockDirectory directory(dir / "kv");
  std::filesystem::remove_all(dir / "kv");
  EXPECT_TRUE(directory.scan().empty());
  EXPECT_TRUE(directory.children(kRoot, kRoot).empty());
  put(directory, name(0, 1), "x");
  EXPECT_EQ(directory.scan().size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(dir / "kv/CACHEDIR.TAG"));
  EXPECT_EQ(mode_of(dir / "kv"), 0700u);
}

TEST(BlockDirectoryTest, DirectoriesThatOthersMayWriteAreRefused) {
  const TempDir dir;
  for (const mode_t mode : {0720u, 0702u, 0777u}) {
    ::chmod(dir.path().c_str(), mode);
    EXPECT_THROW(BlockDirectory{dir.path()}, StoreError) << mode;
  }
  ::chmod(dir.path().c_str(), 0755);
  EXPECT_NO_THROW(BlockDirectory{dir.path()});
  EXPECT_THROW(BlockDirectory{"/proc/1/task"}, StoreError);
}

}  // namespace
}  // namespace confab::sessions
