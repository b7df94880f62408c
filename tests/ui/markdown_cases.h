// SPDX-License-Identifier: MIT
// The golden cases of Markdown: tests/golden/markdown/<case> has the text in `in` and the columns
// in `size` (40 without one).
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace confab::ui {

inline std::string read_golden(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct MarkdownCase {
  std::string name;
  std::filesystem::path folder;
  std::string text;
  int width;
};

inline std::vector<MarkdownCase> markdown_cases() {
  namespace fs = std::filesystem;
  std::vector<MarkdownCase> cases;
  for (const auto& entry : fs::directory_iterator(CONFAB_SOURCE_DIR "/tests/golden/markdown")) {
    const fs::path folder = entry.path();
    const std::string size = read_golden(folder / "size");
    cases.push_back({folder.filename(), folder, read_golden(folder / "in"),
                     size.empty() ? 40 : std::stoi(size)});
  }
  std::ranges::sort(cases, {}, &MarkdownCase::name);
  return cases;
}

}  // namespace confab::ui
