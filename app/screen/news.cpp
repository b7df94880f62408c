// SPDX-License-Identifier: MIT
#include "app/screen/news.h"

#include <algorithm>
#include <utility>

namespace confab::app {

void News::tell(std::string text, Clock::time_point now) {
  line_ = std::move(text);
  told_ = now;
}

// A repeated message is shown only once.
void News::add(std::string text, ui::Role role) {
  const auto known = std::ranges::find(unread_, text, &ui::Remark::text);
  if (known != unread_.end()) unread_.erase(known);
  unread_.push_back({std::move(text), role});
}

void News::read() noexcept {
  unread_.clear();
  line_.clear();
}

bool News::expire(Clock::time_point now) {
  if (line_.empty() || now - told_ < kShown) return false;
  line_.clear();
  return true;
}

std::optional<News::Clock::time_point> News::due() const {
  return line_.empty() ? std::nullopt : std::optional(told_ + kShown);
}

}  // namespace confab::app
