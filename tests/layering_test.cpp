// SPDX-License-Identifier: MIT
// Holds the arrows of the architecture: a folder includes only itself and what stands below it, and
// third-party headers of the heavy sort appear in no header of ours.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::set<std::string>> kMayInclude{
    {"kernels", {}},
    {"engine", {"kernels"}},
    {"sessions", {}},
    {"ui", {}},
    {"app", {"ui", "sessions", "engine", "kernels"}},
};

struct Include {
  fs::path file;  // relative to the repository
  std::string target;
  bool system;
};

std::vector<Include> includes_of(const std::string& folder) {
  static const std::regex line_pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> found;
  const fs::path root = CONFAB_SOURCE_DIR;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp") continue;
    std::ifstream in(entry.path());
    std::smatch match;
    for (std::string line; std::getline(in, line);)
      if (std::regex_search(line, match, line_pattern))
        found.push_back({fs::relative(entry.path(), root), match[2], match[1] == "<"});
  }
  return found;
}

TEST(LayeringTest, FoldersIncludeOnlyWhatStandsBelowThem) {
  for (const auto& [folder, below] : kMayInclude) {
    const std::vector<Include> includes = includes_of(folder);
    ASSERT_FALSE(includes.empty()) << folder;
    for (const Include& include : includes) {
      if (include.system) continue;
      const std::string target = include.target.substr(0, include.target.find('/'));
      EXPECT_TRUE(target == folder || below.count(target) == 1)
          << include.file << " includes \"" << include.target << '"';
      EXPECT_TRUE(fs::exists(fs::path(CONFAB_SOURCE_DIR) / include.target))
          << include.file << ": includes are rooted at the repository: " << include.target;
    }
  }
}

TEST(LayeringTest, HeadersKeepThirdPartyTypesInside) {
  static const std::regex foreign(
      R"(^(sqlite3|curses|ncurses|ncursesw/|readline/|cmark|nlohmann/|pcre2|toml\+\+|CLI/|curl/|fmt/|utf8proc|xxhash))");
  for (const auto& [folder, below] : kMayInclude)
    for (const Include& include : includes_of(folder)) {
      if (include.file.extension() != ".h") continue;
      EXPECT_FALSE(std::regex_search(include.target, foreign))
          << include.file << " includes <" << include.target << '>';
    }
}

TEST(LayeringTest, OnlyTheTerminalUsesCursesAndOnlyTheEditorUsesReadline) {
  for (const Include& include : includes_of("ui")) {
    const std::string file = include.file.filename().string();
    if (include.target.find("curses") != std::string::npos) {
      EXPECT_EQ(file.rfind("terminal", 0), 0U) << include.file;
    }
    if (include.target.rfind("readline/", 0) == 0) {
      EXPECT_TRUE(file == "line_editor.cpp" || file == "line_editor_keys.cpp") << include.file;
    }
  }
}

}  // namespace
