// SPDX-License-Identifier: MIT
#include "app/attach/folder_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "app/attach/wildcard.h"
#include "app/error.h"
#include "app/figures.h"

namespace confab::app {
namespace {

// Trailing blanks do not count, unless a backslash precedes them.
std::string_view without_end(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  return line;
}

namespace fs = std::filesystem;

struct Entry {
  std::string name;
  bool is_link;
  bool is_folder;  // or a link to one
  bool is_file;    // or a link to one
};

// Lists folders, sorted. A folder that cannot be read has no entries.
class Looker {
 public:
  explicit Looker(std::string named) : named_(std::move(named)) {}

  std::vector<Entry> entries(const fs::path& folder) {
    std::vector<Entry> found;
    std::error_code error;
    fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
      if (++n_looked_at_ > kMaxLookedAt)
        throw UserError(fmt::format("{}: has more than {} files and folders; name a smaller part",
                                    named_, grouped(kMaxLookedAt)));
      std::error_code ignored;
      found.push_back({it->path().filename().string(), it->is_symlink(ignored),
                       it->is_directory(ignored), it->is_regular_file(ignored)});
    }
    std::ranges::sort(found, {}, &Entry::name);
    return found;
  }

 private:
  std::string named_;
  std::size_t n_looked_at_ = 0;
};

std::string content_of(const fs::path& file) {
  std::error_code error;
  constexpr std::uintmax_t kMaxBytes = 1 << 20;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kMaxBytes) return {};
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Paths for the rules start at the root directory, without the first /.
class FolderWalk {
 public:
  explicit FolderWalk(const std::string& folder) : looker_(folder) {
    std::error_code error;
    root_ = fs::canonical(folder, error);
    if (error) throw UserError(fmt::format("{}: {}", folder, error.message()));
    fs::directory_iterator readable(root_, error);
    if (error) throw UserError(fmt::format("{}: {}", folder, error.message()));
    add_rules_above();
  }

  std::vector<std::string> take() {
    walk(root_, "");
    return std::move(files_);
  }

 private:
  static std::string rule_folder(const fs::path& folder) {
    std::string path = folder.string().substr(1);
    if (!path.empty()) path += '/';
    return path;
  }
  void add_rules(const fs::path& folder, const char* file) {
    rules_.add(rule_folder(folder), content_of(folder / file));
  }
  // Adds the rules of the repository that contains this folder, if there is one.
  void add_rules_above() {
    std::vector<fs::path> above;
    std::error_code error;
    for (fs::path folder = root_;; folder = folder.parent_path()) {
      above.push_back(folder);
      if (fs::exists(folder / ".git", error)) break;
      if (!folder.has_relative_path()) return;
    }
    add_rules(above.back(), ".git/info/exclude");
    for (std::size_t i = above.size(); i-- > 1;) add_rules(above[i], ".gitignore");
  }
  void walk(const fs::path& folder, const std::string& prefix) {
    add_rules(folder, ".gitignore");
    for (const Entry& entry : looker_.entries(folder)) {
      const fs::path path = folder / entry.name;
      if (entry.name.starts_with('.') || entry.is_link) continue;
      if (rules_.leaves_out(path.string().substr(1), entry.is_folder)) continue;
      if (entry.is_folder) walk(path, prefix + entry.name + '/');
      if (entry.is_file) files_.push_back(prefix + entry.name);
    }
  }

  Looker looker_;
  fs::path root_;
  IgnoreRules rules_;
  std::vector<std::string> files_;
};

class PatternWalk {
 public:
  explicit PatternWalk(const std::string& pattern) : looker_(pattern) {
    std::string_view rest = pattern;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('/'), rest.size());
      if (end > 0) parts_.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (pattern.starts_with('/')) begin_ = "/";
  }

  std::vector<std::string> take() {
    walk(begin_, 0);
    std::ranges::sort(files_);
    files_.erase(std::unique(files_.begin(), files_.end()), files_.end());
    return std::move(files_);
  }

 private:
  void walk(const std::string& folder, std::size_t i) {
    if (i == parts_.size()) return;
    const std::string& part = parts_[i];
    const bool is_last = i + 1 == parts_.size();
    if (part == "**") return walk_deep(folder, i);
    if (!has_wildcard(part)) return take(folder + part, i);
    for (const Entry& entry : looker_.entries(folder)) {
      if (is_hidden(entry) && !part.starts_with('.')) continue;
      if (!matches_part(part, entry.name)) continue;
      if (is_last && entry.is_file) files_.push_back(folder + entry.name);
      if (!is_last && entry.is_folder) walk(folder + entry.name + '/', i + 1);
    }
  }
  // A part without wildcards needs no search.
  void take(const std::string& path, std::size_t i) {
    std::error_code error;
    if (i + 1 < parts_.size()) return walk(path + '/', i + 1);
    if (fs::is_regular_file(path, error)) files_.push_back(path);
  }
  void walk_deep(const std::string& folder, std::size_t i) {
    const bool is_last = i + 1 == parts_.size();
    walk(folder, i + 1);
    for (const Entry& entry : looker_.entries(folder)) {
      if (is_hidden(entry)) continue;
      if (is_last && entry.is_file) files_.push_back(folder + entry.name);
      if (entry.is_folder && !entry.is_link) walk_deep(folder + entry.name + '/', i);
    }
  }
  static bool is_hidden(const Entry& entry) { return entry.name.starts_with('.'); }

  Looker looker_;
  std::string begin_;
  std::vector<std::string> parts_;
  std::vector<std::string> files_;
};

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

// The last rule that matches the path decides.
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

std::vector<std::string> files_below(const std::string& folder) {
  return FolderWalk(folder).take();
}

std::vector<std::string> files_like(const std::string& pattern) {
  return PatternWalk(pattern).take();
}

}  // namespace confab::app
