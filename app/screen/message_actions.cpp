// SPDX-License-Identifier: MIT
#include "app/screen/message_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "app/commands/branches.h"
#include "app/commands/console.h"
#include "app/commands/retry.h"
#include "app/commands/route.h"
#include "app/error.h"
#include "app/figures.h"
#include "ui/input/keymap.h"

namespace confab::app {
namespace {

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

void MessageActions::enter() {
  view_.focus().step(0);
  if (!active()) context_.console.notice("The conversation is still empty.");
}

void MessageActions::leave() {
  told_.clear();
  view_.focus().leave();
  view_.search().find("");
}

bool MessageActions::feed(const ui::Key& key) {
  told_.clear();
  const FocusKey* found = find_focus_key(ui::key_name(key));
  if (found == nullptr) return false;
  attempt(context_, [&] { act(found->action); });
  return true;
}

void MessageActions::act(FocusAction action) {
  using enum FocusAction;
  using Act = void (MessageActions::*)();
  static constexpr std::array kActs = std::to_array<std::pair<FocusAction, Act>>({
      {message_up, &MessageActions::message_up},
      {message_down, &MessageActions::message_down},
      {part_on, &MessageActions::part_on},
      {part_back, &MessageActions::part_back},
      {line_up, &MessageActions::line_up},
      {line_down, &MessageActions::line_down},
      {half_up, &MessageActions::half_up},
      {half_down, &MessageActions::half_down},
      {top, &MessageActions::top},
      {bottom, &MessageActions::bottom},
      {copy, &MessageActions::copy},
      {save, &MessageActions::save},
      {fold, &MessageActions::fold},
      {toggle_raw, &MessageActions::toggle_raw},
      {regenerate, &MessageActions::regenerate},
      {edit, &MessageActions::edit},
      {go_on, &MessageActions::go_on},
      {fork, &MessageActions::fork},
      {branch_back, &MessageActions::branch_back},
      {branch_on, &MessageActions::branch_on},
      {search, &MessageActions::search},
      {match_on, &MessageActions::match_on},
      {match_back, &MessageActions::match_back},
      {help, &MessageActions::help},
      {leave, &MessageActions::leave},
  });
  const auto* found = std::ranges::find(kActs, action, &std::pair<FocusAction, Act>::first);
  assert(found != kActs.end());
  (this->*found->second)();
}

std::string MessageActions::hint() {
  if (!active()) return {};
  if (!told_.empty()) return told_;
  const auto part = view_.focus().part();
  if (part && part->kind == ui::MarkdownPart::Kind::link)
    return fmt::format("y copy · link {}", part->source);
  if (part && part->kind == ui::MarkdownPart::Kind::table)
    return fmt::format("table, {} · y copy · s save", counted(n_lines(part->source), "line"));
  if (part)
    return fmt::format("code{}{}, {} · y copy · s save", part->language.empty() ? "" : ", ",
                       part->language, counted(n_lines(part->source), "line"));
  if (view_.search().active()) return standing();
  return "Esc back · ? keys · ↑↓ messages · ←→ code, links · y copy · / search";
}

// The index of the message that has the focus.
std::size_t MessageActions::message() const {
  const ui::TranscriptItem* item = view_.focus().item();
  const auto number = item == nullptr ? std::nullopt : item->number();
  if (!number || *number >= context_.chat.messages().size())
    throw UserError("not a message: press Up or Down to select one");
  return *number;
}

void MessageActions::toggle_raw() {
  ui::TranscriptItem* item = view_.focus().item();
  if (item != nullptr) item->show_raw(!item->raw());
}

void MessageActions::copy() {
  if (const auto part = view_.focus().part()) {
    context_.console.copy(part->source, fmt::format("the {}", name_of(part->kind)));
  } else if (const ui::TranscriptItem* item = view_.focus().item()) {
    context_.console.copy(std::string(item->source()), "the message");
  }
}

void MessageActions::save() {
  const auto part = view_.focus().part();
  const ui::TranscriptItem* item = view_.focus().item();
  if (item == nullptr) return;
  const bool whole = !part || part->kind == ui::MarkdownPart::Kind::link;
  const bool code = !whole && part->kind == ui::MarkdownPart::Kind::code_block;
  const std::string text = whole ? std::string(item->source()) : part->source;
  const std::string name = code    ? "code" + extension_of(part->language)
                           : whole ? "message.md"
                                   : "table.md";
  context_.console.ask_line("Save to:", name, [this, text](const std::string& path) {
    save_text(context_.console, path, text);
  });
}

void MessageActions::edit() {
  const std::size_t number = context_.chat.question_of(message());
  context_.console.edit_question(number);
  leave();
}

void MessageActions::regenerate() {
  const std::size_t number = context_.chat.question_of(message());
  leave();
  require_idle(context_, "another answer");
  context_.chat.retry(number, options_of(context_, number));
  context_.console.show_answer();
}

void MessageActions::go_on() {
  leave();
  require_idle(context_, "continuing");
  run_continue(context_, "");
}

void MessageActions::fork() {
  const std::size_t number = message();
  leave();
  require_idle(context_, "a copy");
  fork_at(context_, number, "");
}

void MessageActions::hop(int direction) {
  const std::size_t number = message();
  const auto view = view_.window().view();
  require_idle(context_, "another branch");
  if (!hop_branch(context_, number, direction))
    throw UserError(direction > 0 ? "this is the last branch here"
                                  : "this is the first branch here");
  view_.window().restore(view);
  view_.focus().go_to(number);  // now another message
}

void MessageActions::search() {
  context_.console.search_conversation();
}

void MessageActions::step_match(int direction) {
  view_.search().find_next(direction);
  if (view_.search().active()) told_ = standing();
}

// Which of the matches is selected.
std::string MessageActions::standing() {
  const ui::SearchFocus::Standing found = view_.search().standing();
  if (found.all == 0) return "No matches";
  return fmt::format("{} of {} {}{}", found.at, found.all, found.all == 1 ? "match" : "matches",
                     found.wrapped > 0   ? ", wrapped to the top"
                     : found.wrapped < 0 ? ", wrapped to the bottom"
                                         : "");
}

void MessageActions::help() {
  std::string text;
  for (const FocusKey& key : focus_keys())
    text += fmt::format("{}{:<16} {}", text.empty() ? "" : "\n", key.keys, key.help);
  context_.console.notice(text);
}

}  // namespace confab::app
