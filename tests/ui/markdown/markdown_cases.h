// SPDX-License-Identifier: MIT
// The golden cases of Markdown: folders of tests/golden/markdown and tests/golden/commonmark. The
// text is in `in`, the columns are in `size` (40 without one), and what it is rendered to in `out`.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/ui/attributes.h"
#include "ui/markdown/markdown.h"
#include "ui/wrap.h"

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
  for (const char* group : {"markdown", "commonmark"}) {
    const fs::path root = fs::path(CONFAB_SOURCE_DIR "/tests/golden") / group;
    for (const auto& entry : fs::directory_iterator(root)) {
      if (!entry.is_directory()) continue;
      const fs::path& folder = entry.path();
      const std::string size = read_golden(folder / "size");
      cases.push_back({group + ("/" + folder.filename().string()), folder,
                       read_golden(folder / "in"), size.empty() ? 40 : std::stoi(size)});
    }
  }
  std::ranges::sort(cases, {}, &MarkdownCase::name);
  return cases;
}

// The lines as a terminal shows them; then by number those of them that have more than text; then
// the parts, with their first line, how many there are and what would be copied.
inline std::string golden_text(const MarkdownLayout& layout) {
  static constexpr const char* kKinds[] = {"code block", "table", "link"};
  std::string out = to_text(layout.lines) + "--- attributes\n";
  for (std::size_t i = 0; i < layout.lines.size(); ++i) {
    const std::string line = with_attributes(layout.lines[i]);
    if (line != to_text(layout.lines[i])) out += std::to_string(i) + ": " + line + '\n';
  }
  out += "--- parts\n";
  for (const MarkdownPart& part : layout.parts) {
    out += std::to_string(part.first_line) + '+' + std::to_string(part.n_lines) + ' ';
    out += kKinds[static_cast<int>(part.kind)];
    out += (part.language.empty() ? "" : ' ' + part.language) + '\n';
    out += part.source + (part.source.ends_with('\n') ? "" : "\n");
  }
  return out;
}

}  // namespace confab::ui
