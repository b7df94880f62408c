// SPDX-License-Identifier: MIT
#include "app/commands/completion.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/settings.h"
#include "app/figures.h"
#include "app/models/model_finder.h"
#include "app/paths.h"
#include "app/read_beside.h"
#include "app/themes.h"
#include "app/transfer/lists.h"
#include "ui/text.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

// The folder of a path on this machine.
fs::path resolved(std::string_view path, const fs::path& folder) {
  return folder / expand_home(path);  // an absolute path replaces `folder`
}

// The word for a path in a message. A folder's quotation stays open, because the path continues.
std::string as_word(const std::string& path, bool quoted, bool is_folder) {
  if (!quoted && path.find_first_of(" \t") == std::string::npos) return "@" + path;
  return "@\"" + path + (is_folder ? "" : "\"");
}

// Returns true if a message can contain the name as one word on one line.
bool is_nameable(std::string_view name) {
  return std::ranges::none_of(name,
                              [](unsigned char c) { return c < ' ' || c == '\x7f' || c == '"'; });
}

using enum Completion;

// All known values of a command's argument.
std::vector<std::string> known_arguments(CommandContext& context, Completion completion) {
  if (completion == conversations && context.store != nullptr)
    return names_of(context.store->list());
  if (completion == themes && context.paths != nullptr) return theme_names(*context.paths);
  if (completion == settings) return setting_names();
  if (completion == routes) return route_names(context.routing.router.templates());
  if (completion == parts) return {"info", "system", "template", "parameters", "context", "prompt"};
  std::vector<std::string> values;
  if (completion == models)
    for (FoundModel& model : find_models(context.chat.model_info().path))
      values.push_back(std::move(model.name));
  return values;
}

bool takes_path(Completion completion) {
  return completion == files || completion == models || completion == themes;
}

// Returns what complete_path() finds, or nothing if the person cancels the wait.
std::vector<ui::Candidate> paths_like(CommandContext& context, const std::string& word) {
  try {
    return read_beside([word] { return complete_path(word); },
                       context.console.watch_reading(ui::one_line(word)));
  } catch (const ReadingStopped&) {
    return {};
  }
}

// The files whose paths start with this text, which may contain blanks.
std::vector<ui::Candidate> paths_from(CommandContext& context, std::string_view begun) {
  std::vector<ui::Candidate> found = paths_like(context, "@\"" + std::string(begun));
  for (ui::Candidate& file : found) {
    file.text.erase(0, 2);
    if (file.text.ends_with('"')) file.text.pop_back();
  }
  return found;
}

// The words in a command's argument help: "on" and "off" from "[on|off|N]".
std::vector<std::string> words_of(std::string_view arguments) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(arguments) + ' ') {
    const bool lower = c >= 'a' && c <= 'z';
    if (lower)
      word += c;
    else if (!word.empty())
      words.push_back(std::exchange(word, {}));
  }
  return words;
}

// Completes a word of an argument. `before` is the argument's text before the word; together they
// may be the start of one name that contains blanks.
void complete_argument(CommandContext& context, const Command& command, std::string_view before,
                       std::string_view word, std::vector<ui::Candidate>& candidates) {
  before.remove_prefix(std::min(before.find_first_not_of(" \t"), before.size()));
  const std::string begun = std::string(before) + std::string(word);
  const auto add = [&](std::string text, std::string description) {
    if (text.starts_with(begun))
      candidates.push_back({text.substr(before.size()), std::move(description)});
  };
  for (std::string& value : words_of(command.arguments)) add(std::move(value), "");
  for (std::string& value : known_arguments(context, command.completion)) add(std::move(value), "");
  if (!takes_path(command.completion)) return;
  for (ui::Candidate& file : paths_from(context, begun))
    add(std::move(file.text), std::move(file.description));
  if (before.empty() || !candidates.empty()) return;
  for (ui::Candidate& file : paths_from(context, word)) candidates.push_back(std::move(file));
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

std::vector<ui::Candidate> complete(CommandContext& context, std::string_view before,
                                    std::string_view word) {
  if (word.starts_with('@')) return paths_like(context, std::string(word));
  std::vector<ui::Candidate> candidates;
  const auto add = [&](std::string_view text, std::string_view description) {
    if (text.substr(0, word.size()) == word)
      candidates.push_back({std::string(text), std::string(description)});
  };
  if (before.empty()) {
    if (word.empty() || word[0] != '/') return {};
    for (const Command& command : commands()) add(command.name, command.help);
    for (const Command& command : context.routing.commands) add(command.name, command.help);
    return candidates;
  }
  const std::string_view name = before.substr(0, before.find(' '));
  if (const Command* command = find_command(name))
    complete_argument(context, *command, before.substr(name.size()), word, candidates);
  return candidates;
}

}  // namespace confab::app
