// SPDX-License-Identifier: MIT
// The files in a folder or that match a pattern, always in the same order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

// The paths that .gitignore files exclude, by the rules of gitignore(5).
class IgnoreRules {
 public:
  // Adds the lines of a .gitignore file that applies below `folder`, which is empty or ends in /.
  // Add outer files first.
  void add(std::string_view folder, std::string_view lines);
  // Returns true if the rules exclude this path itself. Its folders may be excluded as well and
  // must be checked first. Paths are relative to the same place as the folders, without a / at the
  // end.
  bool leaves_out(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::string folder;
    std::string pattern;
    bool takes_back;    // !pattern
    bool folders_only;  // pattern/
    bool anywhere;      // no / inside: matches the name at any depth
  };
  std::vector<Rule> rules_;
};

inline constexpr std::size_t kMaxLookedAt = 200'000;  // files and folders

// The files below a folder, as relative paths, sorted by their parts. Skips hidden files, links,
// devices, pipes and what .gitignore files exclude; these are read below the folder and above it,
// up to the repository's root, with .git/info/exclude. Throws UserError if the folder cannot be
// read or has more than kMaxLookedAt entries.
std::vector<std::string> files_below(const std::string& folder);

// The files that match a pattern (attach/wildcard.h). Hidden files match only parts that start with
// a dot, and ** does not follow links. Throws UserError if there would be too many entries to look
// at.
std::vector<std::string> files_like(const std::string& pattern);

}  // namespace confab::app
