// SPDX-License-Identifier: MIT
#include "app/screen/transcript_focus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/commands/conversation_commands.h"
#include "app/commands/save_text.h"
#include "app/commands/tree_commands.h"
#include "app/error.h"
#include "ui/input/keymap.h"

namespace confab::app {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::string counted(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string_view name_of(ui::MarkdownPart::Kind kind) {
  switch (kind) {
    case ui::MarkdownPart::Kind::code_block:
      return "code block";
    case ui::MarkdownPart::Kind::table:
      return "table";
    case ui::MarkdownPart::Kind::link:
      break;
  }
  return "link";
}

std::size_t n_lines(std::string_view text) {
  const auto n = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return n + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace

std::span<const TranscriptFocus::Binding> TranscriptFocus::bindings() noexcept {
  static constexpr std::array kBindings = std::to_array<Binding>({
      {"Up", "the message above", &TranscriptFocus::message_up},
      {"Down", "the message below", &TranscriptFocus::message_down},
      {"Right Tab", "the next code block or link", &TranscriptFocus::part_on},
      {"Left Shift+Tab", "the one before", &TranscriptFocus::part_back},
      {"k", "scroll up", &TranscriptFocus::line_up},
      {"j", "scroll down", &TranscriptFocus::line_down},
      {"u", "half a page up", &TranscriptFocus::half_up},
      {"d", "half a page down", &TranscriptFocus::half_down},
      {"g Home", "to the beginning", &TranscriptFocus::top},
      {"G End", "to the end", &TranscriptFocus::bottom},
      {"y c", "copy the message, code block or link", &TranscriptFocus::copy},
      {"s", "save it to a file", &TranscriptFocus::save},
      {"Enter Space o", "fold or unfold the message", &TranscriptFocus::fold},
      {"r", "its Markdown as it was written", &TranscriptFocus::toggle_raw},
      {"R", "another answer in its place", &TranscriptFocus::regenerate},
      {"e", "edit the question and ask again", &TranscriptFocus::edit},
      {"C", "go on with an answer that was cut off", &TranscriptFocus::go_on},
      {"f", "go on from here in a copy of the conversation", &TranscriptFocus::fork},
      {"< [", "the branch before (1/2)", &TranscriptFocus::branch_back},
      {"> ]", "the next branch (2/2)", &TranscriptFocus::branch_on},
      {"/", "look for words in the conversation", &TranscriptFocus::search},
      {"n", "the next place where they are", &TranscriptFocus::match_on},
      {"N", "the one before", &TranscriptFocus::match_back},
      {"?", "these keys", &TranscriptFocus::help},
      {"Esc i q", "back to writing", &TranscriptFocus::leave},
  });
  return kBindings;
}

void TranscriptFocus::enter() {
  view_.step(0);
  if (!active()) context_.console.notice("Nothing has been said yet.");
}

void TranscriptFocus::leave() {
  told_.clear();
  view_.unfocus();
  view_.search("");
}

bool TranscriptFocus::feed(const ui::Key& key) {
  told_.clear();
  const std::string name = ui::key_name(key);
  for (const Binding& binding : bindings()) {
    if (!has_word(binding.keys, name)) continue;
    attempt(context_, [&] { (this->*binding.act)(); });
    return true;
  }
  return false;
}

std::string TranscriptFocus::hint() {
  if (!active()) return {};
  if (!told_.empty()) return told_;
  const auto part = view_.focused_part();
  if (part && part->kind == ui::MarkdownPart::Kind::link)
    return fmt::format("y copies · link {}", part->source);
  if (part && part->kind == ui::MarkdownPart::Kind::table)
    return fmt::format("table, {} · y copies · s saves", counted(n_lines(part->source), "line"));
  if (part)
    return fmt::format("code{}{}, {} · y copies · s saves", part->language.empty() ? "" : ", ",
                       part->language, counted(n_lines(part->source), "line"));
  return "Esc leaves · ? all keys · ↑↓ messages · ←→ code, links · y copies · / searches";
}

// The number of the message that has the focus.
std::size_t TranscriptFocus::message() const {
  const auto number = view_.focused_number();
  if (!number || *number >= context_.chat.messages().size())
    throw UserError("this is no message of the conversation: go to one with Up or Down");
  return *number;
}

void TranscriptFocus::toggle_raw() {
  ui::TranscriptItem* item = view_.focused();
  if (item != nullptr) item->show_raw(!item->raw());
}

void TranscriptFocus::copy() {
  if (const auto part = view_.focused_part()) {
    context_.console.copy(part->source, fmt::format("the {}", name_of(part->kind)));
  } else if (const ui::TranscriptItem* item = view_.focused()) {
    context_.console.copy(std::string(item->source()), "the message");
  }
}

void TranscriptFocus::save() {
  const auto part = view_.focused_part();
  const ui::TranscriptItem* item = view_.focused();
  if (item == nullptr) return;
  const bool whole = !part || part->kind == ui::MarkdownPart::Kind::link;
  const bool code = !whole && part->kind == ui::MarkdownPart::Kind::code_block;
  const std::string text = whole ? std::string(item->source()) : part->source;
  const std::string name = code    ? "code" + extension_of(part->language)
                           : whole ? "message.md"
                                   : "table.md";
  context_.console.ask_line("Save to:", name, [this, text](const std::string& path) {
    attempt(context_, [&] {
      save_text(path, text);
      context_.console.notice(fmt::format("Written to {}.", path));
    });
  });
}

void TranscriptFocus::edit() {
  const std::size_t number = context_.chat.question_of(message());
  context_.console.edit_question(number);
  leave();
}

void TranscriptFocus::regenerate() {
  const std::size_t number = context_.chat.question_of(message());
  leave();
  require_idle(context_, "another answer");
  context_.chat.retry(number);
  context_.console.show_answer();
}

void TranscriptFocus::go_on() {
  leave();
  require_idle(context_, "going on");
  run_continue(context_, "");
}

void TranscriptFocus::fork() {
  const std::size_t number = message();
  leave();
  require_idle(context_, "a copy");
  fork_at(context_, number, "");
}

void TranscriptFocus::hop(int direction) {
  const std::size_t number = message();
  require_idle(context_, "another branch");
  if (!hop_branch(context_, number, direction))
    throw UserError(direction > 0 ? "this is the last branch here"
                                  : "this is the first branch here");
  enter();  // what had the focus is another message now
}

void TranscriptFocus::search() {
  context_.console.search_conversation();
}

void TranscriptFocus::help() {
  std::string text;
  for (const Binding& binding : bindings())
    text += fmt::format("{}{:<16} {}", text.empty() ? "" : "\n", binding.keys, binding.help);
  context_.console.notice(text);
}

}  // namespace confab::app
