// SPDX-License-Identifier: MIT
#include "app/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "app/clipboard.h"
#include "app/conversation_commands.h"
#include "app/error.h"
#include "app/report.h"
#include "app/tree_commands.h"
#include "engine/error.h"
#include "sessions/error.h"
#include "ui/error.h"

namespace confab::app {
namespace {

void run_help(CommandContext& context, const std::string&) {
  std::string text;
  for (const Command& command : commands())
    text += fmt::format("{:<30} {}\n", fmt::format("{} {}", command.name, command.arguments),
                        command.help);
  text +=
      "Enter sends; Alt+Enter or Ctrl+J breaks the line; Ctrl+C stops the answer; Ctrl+R "
      "searches what you typed before; PgUp and PgDn scroll; Ctrl+D leaves.";
  context.console.notice(text);
}

void run_exit(CommandContext& context, const std::string&) {
  context.console.quit();
}

void run_new(CommandContext& context, const std::string&) {
  context.chat.start_new();
  context.console.show_conversation();
}

void run_stats(CommandContext& context, const std::string&) {
  context.console.notice(describe_stats(context.chat));
}

constexpr std::array kCommands = std::to_array<Command>({
    {"/help", "/?", "", "what can be typed here", true, run_help},
    {"/new", "/clear", "", "start a new conversation", false, run_new},
    {"/list", "/sessions", "", "the saved conversations, pinned and last used first", true,
     run_list},
    {"/search", "/find", "WORDS", "look for words in all conversations", true, run_search},
    {"/resume", "/load", "NAME|ID", "open a saved conversation", false, run_resume},
    {"/rename", "/save", "TITLE", "give this conversation a name", true, run_rename},
    {"/pin", "", "[NAME|ID]", "keep a conversation first in lists", true, run_pin},
    {"/unpin", "", "[NAME|ID]", "no longer", true, run_unpin},
    {"/delete", "", "[NAME|ID]", "delete a conversation; without a name, this one", false,
     run_delete},
    {"/retry", "/regenerate /regen", "", "another answer to the last question", false, run_retry},
    {"/edit", "", "TEXT", "ask this instead of the last question", false, run_edit},
    {"/continue", "", "", "go on with an answer that was cut off", false, run_continue},
    {"/branches", "", "", "the branches that these three have made", true, run_branches},
    {"/branch", "", "NUMBER", "show another branch", false, run_branch},
    {"/fork", "", "[TITLE]", "go on in a copy of this conversation", false, run_fork},
    {"/export", "", "[md|json|html] [FILE]", "write this conversation to a file", true, run_export},
    {"/import", "", "FILE", "add conversations: ours, message lists, ChatGPT's", true, run_import},
    {"/stats", "/show /tokens /context", "",
     "the model, its template, and speed of the last answer", true, run_stats},
    {"/exit", "/quit /bye", "", "leave (also Ctrl+D)", true, run_exit},
});

// Calls fn for the name and each alias of a command; true when one call is.
template <typename Fn>
bool any_name(const Command& command, Fn fn) {
  if (fn(command.name)) return true;
  std::string_view rest = command.aliases;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (fn(rest.substr(0, end))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// Levenshtein's distance, for "did you mean".
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string_view nearest_command(std::string_view name) {
  std::string_view best = kCommands.front().name;
  std::size_t least = name.size() + 1;
  for (const Command& command : kCommands)
    any_name(command, [&](std::string_view candidate) {
      if (const std::size_t d = distance(name, candidate); d < least) {
        least = d;
        best = candidate;
      }
      return false;
    });
  return best;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

}  // namespace

std::span<const Command> commands() noexcept {
  return kCommands;
}

void Console::copy(const std::string& text, const std::string& what) {
  if (copy_to_clipboard(text))
    notice(fmt::format("Copied {}.", what));
  else
    error("nothing here can copy: no wl-copy, xclip, xsel or pbcopy, or no desktop");
}

bool Console::choose(Choice) {
  return false;
}

void Console::ask_line(const std::string&, const std::string&,
                       std::function<void(const std::string&)>) {
  error("this needs the chat on a whole screen");
}

void Console::edit_question(std::size_t) {
  error("to what? /edit TEXT, which is asked instead of the last question");
}

void Console::search_conversation() {
  error("this needs the chat on a whole screen; /search WORDS looks through all conversations");
}

void attempt(CommandContext& context, const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& fault) {
    context.console.error(fault.what());
  } catch (const sessions::StoreError& fault) {
    context.console.error(fault.what());
  } catch (const engine::ModelError& fault) {
    context.console.error(fault.what());
  } catch (const ui::TerminalError& fault) {
    context.console.error(fault.what());
  }
}

void require_idle(const CommandContext& context, std::string_view what) {
  if (context.chat.generating())
    throw UserError(fmt::format("{}: an answer is being written; stop it with Ctrl+C first", what));
}

bool is_command(std::string_view text) noexcept {
  if (text.size() < 2 || text[0] != '/') return false;
  const std::string_view word = text.substr(1, text.find_first_of(" \t\n") - 1);
  const bool one_line = text.find('\n') == std::string_view::npos || word == "edit";
  return one_line && !word.empty() && word.find('/') == std::string_view::npos;
}

void run_command(CommandContext& context, const std::string& text) {
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string name = text.substr(0, end);
  for (const Command& command : kCommands) {
    if (!any_name(command, [&](std::string_view known) { return known == name; })) continue;
    if (command.run != run_delete) context.to_delete.clear();
    attempt(context, [&] {
      if (!command.while_generating) require_idle(context, name);
      command.run(context, trimmed(std::string_view(text).substr(end)));
      if (!command.while_generating) context.chat.prepare("");  // it may be another conversation
    });
    return;
  }
  context.console.error(
      fmt::format("no command {}; did you mean {}? /help shows all", name, nearest_command(name)));
}

std::vector<std::string> complete(CommandContext& context, std::string_view before,
                                  std::string_view word) {
  std::vector<std::string> candidates;
  if (before.empty()) {
    if (word.empty() || word[0] != '/') return {};
    for (const Command& command : kCommands)
      if (command.name.substr(0, word.size()) == word) candidates.emplace_back(command.name);
    return candidates;
  }
  constexpr std::array<std::string_view, 5> kWantTitles{"/resume ", "/load ", "/delete ", "/pin ",
                                                        "/unpin "};
  const bool wants_title = std::ranges::find(kWantTitles, before) != kWantTitles.end();
  if (!wants_title || context.store == nullptr) return {};
  for (const sessions::Conversation& conversation : context.store->list())
    if (conversation.title.compare(0, word.size(), word) == 0)
      candidates.push_back(conversation.title);
  return candidates;
}

}  // namespace confab::app
