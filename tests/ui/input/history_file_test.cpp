// SPDX-License-Identifier: MIT
#include "ui/input/history_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ui/error.h"

namespace confab::ui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HistoryFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "confab-history-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ / "history"; }

  std::filesystem::path folder_;
};

TEST_F(HistoryFileTest, NoFileIsNoHistory) {
  EXPECT_THAT(load_history(path()), IsEmpty());
}

TEST_F(HistoryFileTest, KeepsEntriesAsTheyWere) {
  const std::string entries[] = {"plain", "two\nlines\n", "\\n is not a break \\", "#1 é界",
                                 "\ttab"};
  for (const std::string& entry : entries) append_history(path(), entry);
  EXPECT_THAT(load_history(path()), testing::ElementsAreArray(entries));
}

TEST_F(HistoryFileTest, IsReadableByItsOwnerOnly) {
  append_history(path(), "secret");
  struct stat status {};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(HistoryFileTest, ReadsWhatAnotherProgramLeft) {
  std::ofstream(path()) << "\nbroken \\x escape\\\nlast without a break";
  EXPECT_THAT(load_history(path()), ElementsAre("broken x escape\\", "last without a break"));
}

TEST_F(HistoryFileTest, AnOvergrownFileIsCut) {
  {
    std::ofstream file(path());
    for (std::size_t i = 0; i <= 2 * kMaxHistoryEntries; ++i) file << "entry " << i << '\n';
  }
  const std::vector<std::string> loaded = load_history(path());
  ASSERT_EQ(loaded.size(), kMaxHistoryEntries);
  EXPECT_EQ(loaded.back(), "entry " + std::to_string(2 * kMaxHistoryEntries));
  std::ifstream cut(path());
  std::string first;
  std::getline(cut, first);
  EXPECT_EQ(first, loaded.front());
  EXPECT_EQ(load_history(path()), loaded);
}

TEST_F(HistoryFileTest, NothingIsLostWhileAnotherProgramCutsTheFile) {
  {
    std::ofstream file(path());
    for (std::size_t i = 0; i <= 2 * kMaxHistoryEntries; ++i) file << "old\n";
  }
  constexpr int kEntries = 500;
  std::thread other([this] {
    for (int i = 0; i < kEntries; ++i) append_history(path(), "new " + std::to_string(i));
  });
  for (int i = 0; i < 5; ++i) load_history(path());
  other.join();
  const std::vector<std::string> entries = load_history(path());
  int n = 0;
  for (const std::string& entry : entries)
    if (entry != "old") {
      EXPECT_EQ(entry, "new " + std::to_string(n++));
    }
  EXPECT_EQ(n, kEntries);
}

TEST_F(HistoryFileTest, AFailureNamesTheFile) {
  for (const auto& act : {+[](const std::string& p) { append_history(p, "x"); },
                          +[](const std::string& p) { load_history(p); }}) {
    try {
      act(folder_);
      ADD_FAILURE() << "a folder was taken for a file";
    } catch (const TerminalError& error) {
      EXPECT_THAT(error.what(), HasSubstr(folder_.string()));
    }
  }
}

}  // namespace
}  // namespace confab::ui
