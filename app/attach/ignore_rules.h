// SPDX-License-Identifier: MIT
// What .gitignore files leave out, as gitignore(5) has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

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

}  // namespace confab::app
