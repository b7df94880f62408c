// SPDX-License-Identifier: MIT
#include "ui/transcript/message_focus.h"

#include <vector>

namespace confab::ui {
namespace {

bool is_message(const TranscriptItem& item) {
  return item.kind() != TranscriptItem::Kind::tail;
}

}  // namespace

std::size_t next_message(const TranscriptLayout& layout, std::size_t from, int direction) {
  const std::size_t n = layout.items.size();
  const auto step = static_cast<std::size_t>(direction);  // -1 wraps around, which ends the loop
  for (std::size_t i = from + step; i < n; i += step)
    if (is_message(layout.items[i])) return i;
  return from;
}

std::optional<PartPlace> next_part(TranscriptLayout& layout, std::size_t item,
                                   std::optional<std::size_t> part, int direction) {
  const auto count = [&] { return layout.items[item].parts(layout.width()).size(); };
  std::size_t n_parts = count();
  // Parts are numbered from 1 here. 0 and n_parts + 1 are before the first and after the last.
  std::size_t at = part ? *part + 1 : direction > 0 ? 0 : n_parts + 1;
  for (;;) {
    at += static_cast<std::size_t>(direction);
    if (at >= 1 && at <= n_parts) return PartPlace{item, at - 1};
    const std::size_t next = next_message(layout, item, direction);
    if (next == item) return std::nullopt;
    item = next;
    n_parts = count();
    at = direction > 0 ? 0 : n_parts + 1;
  }
}

void MessageFocus::step(int n_items) {
  const std::size_t n = layout_.items.size();
  if (n == 0) return;
  std::size_t at = item_ ? *item_ : window_.last().item + 1;
  if (!item_) n_items = -1;
  for (; n_items < 0; ++n_items) at = next_message(layout_, at, -1);
  for (; n_items > 0; --n_items) at = next_message(layout_, at, 1);
  if (at < n) focus(at, {});
}

void MessageFocus::go_to(std::size_t message) {
  for (std::size_t i = 0; i < layout_.items.size(); ++i)
    if (layout_.items[i].number() == message) focus(i, {});
}

bool MessageFocus::step_part(int direction) {
  if (!item_) step(0);
  if (!item_) return false;
  const auto next = next_part(layout_, *item_, part_, direction);
  if (next) focus(next->item, next->part);
  return next.has_value();
}

void MessageFocus::focus(std::size_t item, std::optional<std::size_t> part) {
  item_ = item;
  part_ = part;
  const int gap = TranscriptLayout::gap(item);
  const Lines focused = lines();
  const int end = part ? gap + focused.end : layout_.height(item);
  window_.bring_into_view({item, gap + focused.begin}, {item, end});
}

void MessageFocus::leave() noexcept {
  item_.reset();
  part_.reset();
}

TranscriptItem* MessageFocus::item() noexcept {
  return item_ ? &layout_.items[*item_] : nullptr;
}

std::optional<MarkdownPart> MessageFocus::part() {
  if (!item_ || !part_) return std::nullopt;
  const std::vector<MarkdownPart> parts = layout_.items[*item_].parts(layout_.width());
  return *part_ < parts.size() ? std::optional(parts[*part_]) : std::nullopt;
}

void MessageFocus::toggle_fold() {
  if (!item_) return;
  TranscriptItem& item = layout_.items[*item_];
  item.fold(!item.folded());
  focus(*item_, {});
}

MessageFocus::Lines MessageFocus::lines() {
  if (!item_) return {};
  if (const auto focused = part()) {
    const int first = static_cast<int>(focused->first_line);
    return {*item_, first, first + static_cast<int>(focused->n_lines), *part_ + 1, focused->kind};
  }
  return {.item = *item_, .end = layout_.height(*item_) - TranscriptLayout::gap(*item_)};
}

void MessageFocus::inserted(std::size_t item) noexcept {
  if (item_ && *item_ >= item) ++*item_;
}

}  // namespace confab::ui
