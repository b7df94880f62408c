// SPDX-License-Identifier: MIT
// What goes on beside the conversation: that part of ChatScreen.
#include <fmt/format.h>

#include "app/chat/welcome.h"
#include "app/commands/model.h"
#include "app/commands/route.h"
#include "app/figures.h"
#include "app/screen/chat_screen.h"
#include "ui/text.h"

namespace confab::app {

void ChatScreen::add_background(std::vector<ui::Remark>& remarks) {
  if (const auto& awaited = backend_.awaited) {
    const auto now = host_.now();
    if (!awaiting_since_) awaiting_since_ = now;
    const auto time = std::chrono::duration_cast<std::chrono::seconds>(now - *awaiting_since_);
    remarks.push_back({fmt::format("⋯ {} · {} · Esc stop", ui::one_line(awaited->engine->text()),
                                   time_text(time)),
                       ui::Role::dim, 1});
  }
  if (!held_up_.empty()) remarks.push_back({"⋯ " + held_up_ + " · Esc stop", ui::Role::dim, 1});
  if (const std::string text = pull_text(context_.pulling); !text.empty())
    remarks.push_back({"↓ " + ui::one_line(text), ui::Role::dim, 1});
}

// The next second of what is waited for.
std::optional<ScreenHost::Clock::time_point> ChatScreen::background_due() const {
  if (!backend_.awaited || !awaiting_since_) return std::nullopt;
  const auto whole = std::chrono::floor<std::chrono::seconds>(host_.now() - *awaiting_since_);
  return *awaiting_since_ + whole + std::chrono::seconds(1);
}

void ChatScreen::take_download() {
  take_pull(context_);
  changed_ = true;
}

void ChatScreen::take_engine() {
  changed_ = true;
  attempt(context_, [this] {
    take_awaited(backend_, chat_);
    if (auto question = take_ready(context_)) send(*std::move(question));
  });
  if (!backend_.awaited) awaiting_since_.reset();
  if (!is_busy()) chat_.prepare("");
  if (!is_busy() && !done_) go_on_with_waiting();
  tell_notice();
}

void ChatScreen::tell_held_up(const std::string& text) {
  held_up_ = text;
  changed_ = true;
}

bool ChatScreen::stop_awaiting() {
  if (!backend_.awaited) return false;
  backend_.awaited->engine->stop();
  return true;
}

std::string ChatScreen::farewell() const {
  std::string text = pull_farewell(context_.pulling);
  const std::string back = said_ && context_.store != nullptr ? way_back(*context_.store) : "";
  return text + (text.empty() || back.empty() ? "" : "\n") + back;
}

}  // namespace confab::app
