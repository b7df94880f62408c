// SPDX-License-Identifier: MIT
#include "app/commands/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/commands/clipboard.h"
#include "app/commands/focus_keys.h"
#include "app/figures.h"
#include "app/save_file.h"
#include "ui/text.h"
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

bool says_yes(std::string_view line) {
  const std::string word = ui::lower_case(ui::trimmed(line));
  return word == "y" || word == "yes";
}

std::string with_length(const std::string& what, std::string_view text) {
  const auto n = std::ssize(text) - std::ranges::count_if(text, ui::goes_on);
  return fmt::format("{} ({})", what, counted(n, "character"));
}

void Console::show_text(const std::string&, const std::string& text) {
  notice(text);
}

WhileReading Console::watch_reading(const std::string&) {
  return [] {};
}

void Console::copy(const std::string& text, const std::string& what) {
  const std::string program = copy_to_clipboard(text);
  if (program.empty()) return save_instead(text);
  notice(fmt::format("Copied {} with {}.", with_length(what, text), program));
}

void Console::save_instead(const std::string& text) {
  const auto save = [this, text](const std::string& path) {
    if (!path.empty()) save_text(*this, path, text);
  };
  confirm(
      "Cannot copy here: no wl-copy, xclip or xsel. Save to a file instead?",
      [this, save] { ask_line("Save to:", "copied.md", save); }, "/export writes to a file");
}

bool Console::choose(PickerKind) {
  return false;
}

void Console::ask_line(const std::string&, const std::string&,
                       std::function<void(const std::string&)>) {
  error("this works only in the full-screen chat");
}

void Console::confirm(const std::string& question, std::function<void()>,
                      const std::string& instead, std::function<void()> no) {
  error(fmt::format("{} Not a terminal, so nothing was done{}{}", question,
                    instead.empty() ? "" : "; ", instead));
  if (no) no();
}

// Line editors keep the text in their history; the up key brings it back.
void Console::take_back(const std::string&) {}

void Console::edit_question(std::size_t) {
  error("change it to what? /edit TEXT replaces the last question");
}

void Console::search_conversation() {
  error("this works only in the full-screen chat; /search WORDS searches all conversations");
}

bool Console::set_theme(const ui::Theme&) {
  return false;
}

void Console::open_reasoning(bool) {
  error("reasoning is always shown here; /think off turns it off if the model allows it");
}

std::string Console::keys() const {
  return line_keys_help();
}

}  // namespace confab::app
