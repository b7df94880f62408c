// SPDX-License-Identifier: MIT
#include "app/screen/palette.h"

#include <algorithm>
#include <utility>

#include "ui/fuzzy.h"
#include "ui/words.h"

namespace confab::app {
namespace {

using Code = ui::Key::Code;

constexpr std::size_t kHelpQuery = 3;  // letters from which the help is searched as well

// Returns true for "/" and "/re": the start of a command's name.
bool is_name(std::string_view text) {
  return text.starts_with('/') && text.find_first_of(" \t\n/", 1) == std::string_view::npos;
}

bool types(const ui::Key& key) {
  const bool letter = key.code == Code::character && !key.ctrl && !key.alt;
  return letter || key.code == Code::backspace;
}

// Returns true if a word of the text starts with `begin`.
bool has_word(std::string_view text, std::string_view begin) {
  for (std::size_t at = 0; at + begin.size() <= text.size(); ++at) {
    const bool begins = at == 0 || text[at - 1] == ' ';
    if (begins &&
        std::ranges::equal(text.substr(at, begin.size()), begin, {}, ui::to_lower, ui::to_lower))
      return true;
  }
  return false;
}

// How well the command matches; nullopt if it does not.
std::optional<int> rank(const Command& command, std::string_view typed) {
  constexpr int kExact = 1 << 20, kHelp = -(1 << 20);
  std::optional<int> best;
  for (const std::string_view name : all_names(command)) {
    const auto match = ui::fuzzy_match(name.substr(1), typed);
    if (match) best = std::max(best.value_or(match->score), match->score);
    if (name.substr(1) == typed) return kExact;
  }
  if (!best && typed.size() >= kHelpQuery && has_word(command.help, typed)) best = kHelp;
  return best;
}

std::string with_arguments(const Command& command) {
  std::string text(command.name);
  if (!command.arguments.empty()) text.append(" ").append(command.arguments);
  return text;
}

bool needs_argument(const Command& command) {
  return !command.arguments.empty() && !command.arguments.starts_with('[');
}

const Command* find_in(std::span<const Command> more, std::string_view name) {
  const auto found = std::ranges::find(more, name, &Command::name);
  return found == more.end() ? find_command(name) : &*found;
}

// How far a key moves in the list; 0 if it does not.
int step_of(const ui::Key& key) {
  const bool control = key.ctrl && key.code == Code::character;
  const bool plain = !key.ctrl && !key.alt;
  if (key.code == Code::tab && key.shift) return -1;
  if (key.code == Code::up && plain && !key.shift) return -1;
  if (key.code == Code::down && plain && !key.shift) return 1;
  return !control ? 0 : key.character == U'p' ? -1 : key.character == U'n' ? 1 : 0;
}

}  // namespace

std::vector<const Command*> commands_like(std::string_view typed, std::span<const Command> more) {
  std::vector<std::pair<int, const Command*>> found;
  for (const std::span<const Command> list : {commands(), more})
    for (const Command& command : list)
      if (const auto score = rank(command, typed)) found.emplace_back(*score, &command);
  std::ranges::stable_sort(found, std::greater{}, &std::pair<int, const Command*>::first);
  std::vector<const Command*> out;
  for (const auto& [score, command] : found) out.push_back(command);
  return out;
}

std::string argument_hint(std::string_view text, std::span<const Command> more) {
  if (!text.starts_with('/') || !text.ends_with(' ')) return {};
  const Command* command = find_in(more, text.substr(0, text.size() - 1));
  if (command == nullptr) return {};
  std::string hint(command->arguments);
  if (!hint.empty()) hint += " · ";
  return hint.append(command->help);
}

void Palette::follow(const ui::Key& key, std::string_view text) {
  if (is_name(text) && types(key))
    open(text);
  else if (!is_open() || !is_name(text) || text.substr(1) != typed_)
    close();
}

void Palette::open(std::string_view text) {
  typed_ = text.substr(1);
  found_ = commands_like(typed_, more_);
  moved_ = false;
  std::vector<ui::Candidate> candidates;
  for (const Command* command : found_)
    candidates.push_back({with_arguments(*command), std::string(command->help)});
  menu_.open(std::move(candidates));
  if (menu_.is_open()) menu_.step(1);
}

void Palette::move_to(const ui::MenuRow& place) {
  menu_.choose_shown(place.row, place.n_rows);
  moved_ = true;
}

std::optional<Palette::Result> Palette::feed(const ui::Key& key, std::string_view text) {
  if (const int n = step_of(key); n != 0) {
    menu_.step(n);
    moved_ = true;
    return Result{};
  }
  if (key.alt || key.shift) return std::nullopt;
  const bool means_typed = !moved_ && find_in(more_, text) != nullptr;
  const bool chooses = key.code == Code::tab || (key.code == Code::enter && !means_typed);
  if (!chooses && key.code != Code::escape) return std::nullopt;
  const Command& command = *found_[*menu_.chosen()];
  close();
  if (key.code == Code::escape) return Result{""};
  const bool runs = key.code == Code::enter && command.when_chosen == WhenChosen::runs &&
                    !needs_argument(command);
  return runs ? Result{std::string(command.name), true} : Result{std::string(command.name) + ' '};
}

}  // namespace confab::app
