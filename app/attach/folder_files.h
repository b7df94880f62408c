// SPDX-License-Identifier: MIT
// The files that a folder or a pattern means, in an order that is always the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

// What .gitignore files leave out, as gitignore(5) has it.
class IgnoreRules {
 public:
  // The lines of a file that counts below `folder`, which is empty or ends in /. Of several files,
  // the outer ones come first.
  void add(std::string_view folder, std::string_view lines);
  // Whether a path is left out by itself; its folders may be, too, and are to be asked first. Paths
  // are relative to the same place as the folders are, without a / at their end.
  bool leaves_out(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::string folder;
    std::string pattern;
    bool takes_back;    // !pattern
    bool folders_only;  // pattern/
    bool anywhere;      // has no / inside: of the name alone, however deep
  };
  std::vector<Rule> rules_;
};

inline constexpr std::size_t kMaxLookedAt = 200'000;  // files and folders

// The files below a folder, as paths from it, sorted by their parts. Left out is what .gitignore
// files say, those below and those above it up to the repository's root, and .git/info/exclude;
// what is hidden; links, devices and pipes. Throws UserError when the folder cannot be read, or has
// more than kMaxLookedAt.
std::vector<std::string> files_below(const std::string& folder);

// The files that a pattern (attach/wildcard.h) means; what is hidden only where a part of it begins
// with a dot. ** looks into no links. Throws UserError when too much would have to be looked at.
std::vector<std::string> files_like(const std::string& pattern);

}  // namespace confab::app
