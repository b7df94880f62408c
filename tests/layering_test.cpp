// SPDX-License-Identifier: MIT
// Holds the arrows of the architecture: a room includes only what its line in ARCHITECTURE.md
// names, and third-party headers of the heavy sort appear in no header of ours.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"base", "kernels", "engine", "sessions", "ui", "app"};
constexpr int kMaxUnits = 30;

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
      if (line.find("include") != std::string::npos && std::regex_search(line, match, line_pattern))
        found.push_back({fs::relative(entry.path(), root), match[2], match[1] == "<"});
  }
  return found;
}

// The rooms of the house as ARCHITECTURE.md has them: lines of
//   | `app/chat` | what lives there | `app`, `engine/api`, `ui/*` |
// A room may include itself, its own sub-folders (and these it), `base`, and what its line names;
// `ui/*` is ui and every room of it.
using Rooms = std::map<std::string, std::set<std::string>>;

std::set<std::string> names_in(const std::string& text) {
  static const std::regex word("`([^`]+)`");
  std::set<std::string> found;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), word); it != std::sregex_iterator();
       ++it)
    found.insert((*it)[1]);
  return found;
}

Rooms rooms_of_the_table() {
  static const std::regex row(
      R"(^\| `((base|kernels|engine|sessions|ui|app)[\w/.]*)` \| (.*) \| (.*) \|$)");
  Rooms rooms;
  std::ifstream in(fs::path(CONFAB_SOURCE_DIR) / "ARCHITECTURE.md");
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, match, row)) rooms[match[1]] = names_in(match[4]);
  return rooms;
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

// main.cpp is a room of its own, above all others.
std::string room_of(const std::string& file) {
  return file == "app/main.cpp" ? file : folder_of(file);
}

bool is_inside(const std::string& room, const std::string& other) {
  return other.find('/') != std::string::npos && room.starts_with(other + '/');
}

bool may_include(const Rooms& rooms, const std::string& from, const std::string& to) {
  if (from == to || to == "base" || is_inside(from, to) || is_inside(to, from)) return true;
  const auto found = rooms.find(from);
  if (found == rooms.end()) return false;
  return std::ranges::any_of(found->second, [&to](const std::string& allowed) {
    if (!allowed.ends_with("/*")) return allowed == to;
    const std::string folder = allowed.substr(0, allowed.size() - 2);
    return to == folder || to.starts_with(folder + '/');
  });
}

TEST(LayeringTest, RoomsIncludeOnlyWhatTheirLineInArchitectureNames) {
  const Rooms rooms = rooms_of_the_table();
  for (const std::string folder : kFolders) {
    const std::vector<Include> includes = includes_of(folder);
    ASSERT_FALSE(includes.empty()) << folder;
    for (const Include& include : includes) {
      if (include.system) continue;
      EXPECT_TRUE(may_include(rooms, room_of(include.file.string()), folder_of(include.target)))
          << include.file << " includes \"" << include.target << '"';
      EXPECT_TRUE(fs::exists(fs::path(CONFAB_SOURCE_DIR) / include.target))
          << include.file << ": includes are rooted at the repository: " << include.target;
    }
  }
}

TEST(LayeringTest, EveryRoomHasItsLineAndEveryArrowItsUse) {
  const Rooms rooms = rooms_of_the_table();
  std::map<std::string, std::set<std::string>> used;
  for (const std::string folder : kFolders)
    for (const Include& include : includes_of(folder)) {
      const std::string room = room_of(include.file.string());
      used[room];
      if (!include.system) used[room].insert(folder_of(include.target));
    }
  for (const auto& [room, targets] : used) EXPECT_TRUE(rooms.contains(room)) << room;
  for (const auto& [room, allowed] : rooms) {
    EXPECT_TRUE(fs::exists(fs::path(CONFAB_SOURCE_DIR) / room)) << room << " is not there";
    for (const std::string& arrow : allowed) {
      const Rooms alone{{room, {arrow}}};
      EXPECT_TRUE(std::ranges::any_of(used[room],
                                      [&](const std::string& target) {
                                        return target != room && !is_inside(target, room) &&
                                               may_include(alone, room, target);
                                      }))
          << room << " does not use " << arrow;
    }
  }
}

// Whether `to` can be reached from `from` along the arrows of the table.
bool reaches(const Rooms& rooms, const std::string& from, const std::string& to,
             std::set<std::string>& seen) {
  for (const auto& [room, allowed] : rooms) {
    if (room == from || is_inside(room, from) || is_inside(from, room)) continue;
    if (!may_include(rooms, from, room) || !seen.insert(room).second) continue;
    if (room == to || reaches(rooms, room, to, seen)) return true;
  }
  return false;
}

TEST(LayeringTest, TheArrowsMakeNoCircle) {
  const Rooms rooms = rooms_of_the_table();
  for (const auto& [room, allowed] : rooms) {
    std::set<std::string> seen;
    EXPECT_FALSE(reaches(rooms, room, room, seen)) << room;
  }
}

TEST(LayeringTest, NoRoomHasMoreUnitsThanAStrangerCanLookOver) {
  std::map<std::string, int> n_units;
  const fs::path root = CONFAB_SOURCE_DIR;
  for (const std::string folder : kFolders)
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".cpp")
        ++n_units[fs::relative(entry.path().parent_path(), root).string()];
  for (const auto& [room, n] : n_units) EXPECT_LE(n, kMaxUnits) << room;
}

TEST(LayeringTest, TheDocumentsNameOnlyWhatIsThere) {
  static const std::regex path(
      R"((app|base|bench|docs|engine|kernels|models|sessions|tests|themes|ui)/[\w./-]*)");
  for (const char* document :
       {"ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "docs/looking-inside.md",
        "docs/models.md", "docs/prompt-cache.md", "docs/reference.md", "docs/themes.md"}) {
    std::ifstream in(fs::path(CONFAB_SOURCE_DIR) / document);
    for (std::string line; std::getline(in, line);)
      for (const std::string& name : names_in(line)) {
        if (!std::regex_match(name, path)) continue;
        const fs::path named = fs::path(CONFAB_SOURCE_DIR) / name;
        const fs::path unit = named.string() + ".cpp";
        EXPECT_TRUE(fs::exists(named) || fs::exists(unit)) << document << ": " << name;
      }
  }
}

// A header with such types, by itself or by another one, is its own room's alone.
TEST(LayeringTest, RoomsKeepThirdPartyTypesInside) {
  static const std::regex foreign(
      R"(^(sqlite3|curses|ncurses|ncursesw/|readline/|cmark|nlohmann/|pcre2|toml\+\+|CLI/|curl/|fmt/|utf8proc|xxhash))");
  std::vector<Include> all;
  for (const std::string folder : kFolders)
    for (Include& include : includes_of(folder)) all.push_back(std::move(include));
  std::set<std::string> inner;  // headers that have them
  for (std::size_t n_before = 1; n_before != inner.size();) {
    n_before = inner.size();
    for (const Include& include : all)
      if (include.file.extension() == ".h" &&
          (std::regex_search(include.target, foreign) || inner.contains(include.target)))
        inner.insert(include.file.string());
    if (inner.empty()) break;
  }
  for (const Include& include : all)
    if (inner.contains(include.target)) {
      EXPECT_EQ(include.file.parent_path(), fs::path(include.target).parent_path())
          << include.file << " includes " << include.target << ", which has third-party types";
    }
}

TEST(LayeringTest, OnlyTheTerminalUsesCursesAndOnlyTheEditorUsesReadline) {
  for (const Include& include : includes_of("ui")) {
    const std::string file = include.file.filename().string();
    if (include.target.find("curses") != std::string::npos) {
      EXPECT_EQ(file.rfind("terminal", 0), 0U) << include.file;
    }
    if (include.target.rfind("readline/", 0) == 0) {
      EXPECT_EQ(file, "line_editor.cpp") << include.file;
    }
  }
}

}  // namespace
