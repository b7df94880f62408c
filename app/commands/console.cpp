// SPDX-License-Identifier: MIT
#include "app/commands/console.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands/clipboard.h"
#include "app/commands/keys_help.h"
#include "app/commands/save_text.h"
#include "app/figures.h"
#include "ui/text.h"
#include "ui/words.h"

namespace confab::app {

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

// Line editors have it in their history: the up key brings it back.
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
