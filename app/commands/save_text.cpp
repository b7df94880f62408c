// SPDX-License-Identifier: MIT
#include "app/commands/save_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "app/error.h"
#include "app/paths.h"

namespace confab::app {
namespace {

using LanguageExtension = std::pair<std::string_view, std::string_view>;
constexpr auto kExtensions = std::to_array<LanguageExtension>({
    {"bash", ".sh"},       {"c", ".c"},       {"c#", ".cs"},     {"c++", ".cpp"},
    {"cpp", ".cpp"},       {"cs", ".cs"},     {"csharp", ".cs"}, {"css", ".css"},
    {"dart", ".dart"},     {"diff", ".diff"}, {"elixir", ".ex"}, {"go", ".go"},
    {"haskell", ".hs"},    {"html", ".html"}, {"java", ".java"}, {"javascript", ".js"},
    {"js", ".js"},         {"json", ".json"}, {"jsx", ".jsx"},   {"julia", ".jl"},
    {"kotlin", ".kt"},     {"latex", ".tex"}, {"lua", ".lua"},   {"markdown", ".md"},
    {"md", ".md"},         {"perl", ".pl"},   {"php", ".php"},   {"powershell", ".ps1"},
    {"py", ".py"},         {"python", ".py"}, {"r", ".r"},       {"rb", ".rb"},
    {"rs", ".rs"},         {"ruby", ".rb"},   {"rust", ".rs"},   {"scala", ".scala"},
    {"scss", ".scss"},     {"sh", ".sh"},     {"shell", ".sh"},  {"sql", ".sql"},
    {"swift", ".swift"},   {"toml", ".toml"}, {"ts", ".ts"},     {"tsx", ".tsx"},
    {"typescript", ".ts"}, {"xml", ".xml"},   {"yaml", ".yaml"}, {"yml", ".yml"},
    {"zig", ".zig"},
});

}  // namespace

std::string extension_of(std::string_view language) {
  std::string name(language);
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const auto found = std::ranges::find(kExtensions, name, &LanguageExtension::first);
  return std::string(found == kExtensions.end() ? ".txt" : found->second);
}

void save_text(const std::string& path, std::string_view text) {
  if (path.empty()) throw UserError("a file needs a name");
  const std::string file = expand_home(path);
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST)
    throw UserError(fmt::format("{}: exists already; give another name", file));
  if (fd < 0) throw UserError(fmt::format("{}: cannot be written: {}", file, std::strerror(errno)));
  int fault = 0;
  while (!text.empty() && fault == 0) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) fault = errno;
  }
  if (close(fd) != 0 && fault == 0) fault = errno;
  if (fault == 0) return;
  unlink(file.c_str());
  throw UserError(fmt::format("{}: cannot be written: {}", file, std::strerror(fault)));
}

}  // namespace confab::app
