// SPDX-License-Identifier: MIT
#include "ui/input/draft.h"

#include <algorithm>
#include <cstddef>

namespace confab::ui {
namespace {

constexpr std::string_view kMark = "\"\"\"";
constexpr std::string_view kBlanks = " \t\n";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

bool is_closed(std::string_view block) {
  return block.size() >= 2 * kMark.size() && block.ends_with(kMark);
}

}  // namespace

bool is_open_block(std::string_view draft) noexcept {
  const std::string_view text = trimmed(draft);
  return text.starts_with(kMark) && !is_closed(text);
}

bool ends_in_backslash(std::string_view draft) noexcept {
  const std::size_t last = draft.find_last_not_of('\\');
  const std::size_t n = draft.size() - (last == std::string_view::npos ? 0 : last + 1);
  return n % 2 == 1;
}

std::string message_of(std::string_view draft) {
  std::string_view text = trimmed(draft);
  if (!text.starts_with(kMark) || !is_closed(text)) return std::string(draft);
  text = text.substr(kMark.size(), text.size() - 2 * kMark.size());
  if (text.starts_with('\n')) text.remove_prefix(1);
  if (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace confab::ui
