// SPDX-License-Identifier: MIT
#include "app/commands/path_completion.h"

#include <algorithm>
#include <optional>
#include <system_error>

#include "app/figures.h"
#include "app/paths.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

// The folder that a path leads to, on this machine.
fs::path resolved(std::string_view path, const fs::path& folder) {
  return folder / expand_home(path);  // an absolute path stays as it is
}

// What stands in the message for a path. A folder's quotation stays open: it goes on.
std::string as_word(const std::string& path, bool quoted, bool is_folder) {
  if (!quoted && path.find_first_of(" \t") == std::string::npos) return "@" + path;
  return "@\"" + path + (is_folder ? "" : "\"");
}

// A name that a message can hold, as one word in one line.
bool is_nameable(std::string_view name) {
  return std::ranges::none_of(name,
                              [](unsigned char c) { return c < ' ' || c == '\x7f' || c == '"'; });
}

}  // namespace

std::vector<ui::Candidate> complete_path(std::string_view word, const fs::path& folder) {
  if (!word.starts_with('@')) return {};
  word.remove_prefix(1);
  const bool quoted = word.starts_with('"');
  if (quoted) word.remove_prefix(1);
  const std::size_t slash = word.rfind('/');
  const std::string base(word.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
  const std::string_view begun = word.substr(base.size());

  std::vector<ui::Candidate> found;
  std::error_code error;
  const fs::directory_options options = fs::directory_options::skip_permission_denied;
  for (fs::directory_iterator at(resolved(base, folder), options, error), end;
       !error && at != end && found.size() < kMaxPaths; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(begun) || !is_nameable(name)) continue;
    if (name.starts_with('.') && !begun.starts_with('.')) continue;
    std::error_code ignored;
    const bool is_folder = at->is_directory(ignored);
    const bool is_file = at->is_regular_file(ignored);
    const std::uintmax_t size = is_file ? at->file_size(ignored) : 0;
    found.push_back({as_word(base + name + (is_folder ? "/" : ""), quoted, is_folder),
                     is_folder             ? "folder"
                     : is_file && !ignored ? size_text(size)
                                           : ""});
  }
  std::ranges::sort(found, {}, &ui::Candidate::text);
  return found;
}

}  // namespace confab::app
