// SPDX-License-Identifier: MIT
#include "app/commands/save_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/save_file.h"
#include "ui/words.h"

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
  const std::string name = ui::lower_case(language);
  const auto found = std::ranges::find(kExtensions, name, &LanguageExtension::first);
  return std::string(found == kExtensions.end() ? ".txt" : found->second);
}

void save_text(Console& console, const std::string& path, std::string text) {
  const auto save = [&console, path, text = std::move(text)](Existing existing) {
    save_file(path, text, existing);
    console.notice(fmt::format("Saved to {}.", path));
  };
  if (!would_replace(path)) return save(Existing::keep);
  console.confirm(
      fmt::format("{} exists. Replace it?", path), [save] { save(Existing::replace); },
      "choose another name");
}

}  // namespace confab::app
