// SPDX-License-Identifier: MIT
#include "app/attach/ignore_rules.h"

#include <algorithm>
#include <cstddef>

#include "app/attach/wildcard.h"

namespace confab::app {
namespace {

// Blanks at the end do not count, unless a backslash stands before them.
std::string_view without_end(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  return line;
}

}  // namespace

void IgnoreRules::add(std::string_view folder, std::string_view lines) {
  if (lines.starts_with("\xEF\xBB\xBF")) lines.remove_prefix(3);
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = without_end(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const bool takes_back = line.starts_with('!');
    if (takes_back) line.remove_prefix(1);
    const bool folders_only = line.ends_with('/');
    if (folders_only) line.remove_suffix(1);
    const bool anywhere = line.find('/') == std::string_view::npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    if (line.empty()) continue;
    rules_.push_back({std::string(folder), std::string(line), takes_back, folders_only, anywhere});
  }
}

// The last rule that means the path counts.
bool IgnoreRules::leaves_out(std::string_view path, bool is_folder) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto means = [&](const Rule& rule) {
    if ((rule.folders_only && !is_folder) || !path.starts_with(rule.folder)) return false;
    return rule.anywhere ? matches_part(rule.pattern, name)
                         : matches(rule.pattern, path.substr(rule.folder.size()));
  };
  const auto last = std::find_if(rules_.rbegin(), rules_.rend(), means);
  return last != rules_.rend() && !last->takes_back;
}

}  // namespace confab::app
