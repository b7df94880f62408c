// SPDX-License-Identifier: MIT
#include "app/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "app/commands/answer_commands.h"
#include "app/commands/conversation_commands.h"
#include "app/commands/file_commands.h"
#include "app/commands/keys_help.h"
#include "app/commands/path_completion.h"
#include "app/commands/setting_commands.h"
#include "app/commands/tree_commands.h"
#include "app/error.h"
#include "app/models/model_finder.h"
#include "app/themes.h"
#include "engine/error.h"
#include "sessions/error.h"
#include "ui/error.h"

namespace confab::app {
namespace {

void run_help(CommandContext& context, const std::string& about) {
  if (about == "keys") return context.console.notice(keys_help());
  std::string text;
  for (const Command& command : commands()) {
    const std::string_view space = command.arguments.empty() ? "" : " ";
    text +=
        fmt::format("{:<34}  {}\n", fmt::format("{}{}{}", command.name, space, command.arguments),
                    command.help);
  }
  context.console.notice(text +
                         "/ alone lists these; /help keys shows the keys; /manual all there is.");
}

void run_manual(CommandContext& context, const std::string&) {
  run_help(context, "");
  context.console.notice(keys_help());
}

void run_exit(CommandContext& context, const std::string&) {
  context.console.quit();
}

void run_new(CommandContext& context, const std::string&) {
  context.chat.start_new();
  context.console.show_conversation();
}

using enum Completion;

constexpr std::array kCommands = std::to_array<Command>({
    {"/help", "/?", "[keys]", "what can be typed here, or which keys there are", true, run_help},
    {"/new", "/clear", "", "start a new conversation", false, run_new},
    {"/list", "/sessions", "", "the saved conversations, pinned and last used first", true,
     run_list},
    {"/search", "/find", "WORDS", "look for words in all conversations", true, run_search},
    {"/resume", "/load", "[NAME|ID]", "open a saved conversation", false, run_resume,
     conversations},
    {"/rename", "/save", "[TITLE]", "give this conversation a name", true, run_rename},
    {"/pin", "", "[NAME|ID]", "keep a conversation first in lists", true, run_pin, conversations},
    {"/unpin", "", "[NAME|ID]", "no longer", true, run_unpin, conversations},
    {"/delete", "", "[NAME|ID]", "delete a conversation; without a name, this one", false,
     run_delete, conversations},
    {"/retry", "/regenerate /regen", "", "another answer to the last question", false, run_retry},
    {"/edit", "", "[N|TEXT]", "ask something else instead of the last question, or the N-th last",
     false, run_edit},
    {"/continue", "", "", "go on with an answer that was cut off", false, run_continue},
    {"/undo", "", "[N]", "take back the last N questions", false, run_undo},
    {"/history", "", "[N]", "the last N questions", true, run_history},
    {"/branches", "/stack", "", "the branches that retry, edit and undo have made", true,
     run_branches},
    {"/branch", "", "NUMBER", "show another branch", false, run_branch},
    {"/fork", "/push", "[TITLE]", "go on in a copy of this conversation", false, run_fork},
    {"/pop", "", "", "back to the conversation that was copied", false, run_pop},
    {"/copy", "", "[N|code [N]]", "copy an answer, or a code block of the last one", true,
     run_copy},
    {"/read", "/file /upload", "FILE", "attach a file to the next question (or write @FILE in it)",
     true, run_read, files},
    {"/glob", "", "PATTERN", "attach all files of such names", true, run_glob, files},
    {"/export", "", "[md|json|html] [FILE]", "write this conversation to a file", true, run_export,
     files},
    {"/dump", "", "FILE", "write the prompt as the model reads it to a file, markers and all", true,
     run_dump, files},
    {"/import", "", "FILE", "add conversations: ours, message lists, ChatGPT's", true, run_import,
     files},
    {"/model", "", "[NAME|FILE]", "answer with another model", false, run_model, models},
    {"/system", "", "[TEXT]", "the system prompt, or another one", false, run_system},
    {"/set", "", "[KEY VALUE]", "how answers are sampled", false, run_set, settings},
    {"/think", "", "[on|off|show|hide|budget N]",
     "reasoning before answers, whether it shows, and its most tokens", false, run_think},
    {"/nothink", "", "", "no reasoning", false, run_nothink},
    {"/show", "/stats /tokens /context", "[WHAT]",
     "the model, context and speed; or: system, template, parameters, prompt", true, run_show,
     parts},
    {"/compact", "/compress", "", "go on in a new conversation with a summary of this one", false,
     run_compact},
    {"/forget", "", "[N]", "let the model forget the first N questions", false, run_forget},
    {"/theme", "", "[NAME]", "other colours", true, run_theme, themes},
    {"/manual", "", "", "all commands and keys", true, run_manual},
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

// What can stand behind a command: all of it, or, of files, what the word may become.
std::vector<std::string> arguments(CommandContext& context, Completion completion,
                                   std::string_view word) {
  std::vector<std::string> values;
  if (completion == files)
    for (ui::Candidate& file : complete_path("@\"" + std::string(word)))
      values.push_back(file.text.substr(2, file.text.rfind('"') - 2));
  if (completion == conversations && context.store != nullptr)
    for (sessions::Conversation& conversation : context.store->list())
      values.push_back(std::move(conversation.title));
  if (completion == models)
    for (FoundModel& model : find_models(context.chat.model_info().path))
      values.push_back(std::move(model.name));
  if (completion == themes && context.paths != nullptr) values = theme_names(*context.paths);
  if (completion == settings) values = setting_names();
  if (completion == parts)
    values = {"info", "system", "template", "parameters", "context", "prompt"};
  return values;
}

// The words that the help of a command's arguments names: "on" and "off" of "[on|off|N]".
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

}  // namespace

std::span<const Command> commands() noexcept {
  return kCommands;
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
  if (text == "/") return true;
  if (text.size() < 2 || text[0] != '/') return false;
  const std::string_view word = text.substr(1, text.find_first_of(" \t\n") - 1);
  const bool one_line = text.find('\n') == std::string_view::npos || word == "edit";
  return one_line && !word.empty() && word.find('/') == std::string_view::npos;
}

void run_command(CommandContext& context, const std::string& text) {
  if (text == "/" && context.console.choose(Choice::command)) return;
  if (text == "/") return run_help(context, "");
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

std::vector<ui::Candidate> complete(CommandContext& context, std::string_view before,
                                    std::string_view word) {
  if (word.starts_with('@')) return complete_path(word);
  std::vector<ui::Candidate> candidates;
  const auto add = [&](std::string_view text, std::string_view description) {
    if (text.substr(0, word.size()) == word)
      candidates.push_back({std::string(text), std::string(description)});
  };
  if (before.empty()) {
    if (word.empty() || word[0] != '/') return {};
    for (const Command& command : kCommands) add(command.name, command.help);
    return candidates;
  }
  const std::string_view name = before.substr(0, before.find(' '));
  for (const Command& command : kCommands)
    if (any_name(command, [&](std::string_view known) { return known == name; })) {
      if (trimmed(before) == name)
        for (const std::string& value : words_of(command.arguments)) add(value, "");
      for (const std::string& value : arguments(context, command.completion, word)) add(value, "");
    }
  return candidates;
}

}  // namespace confab::app
