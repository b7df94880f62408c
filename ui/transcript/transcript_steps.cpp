// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_steps.h"

namespace confab::ui {
namespace {

bool is_message(const TranscriptItem& item) {
  return item.kind() != TranscriptItem::Kind::tail;
}

}  // namespace

std::size_t next_message(const TranscriptLayout& layout, std::size_t from, int direction) {
  const std::size_t n = layout.items.size();
  const auto step = static_cast<std::size_t>(direction);  // -1 wraps around, and so ends the loop
  for (std::size_t i = from + step; i < n; i += step)
    if (is_message(layout.items[i])) return i;
  return from;
}

std::optional<PartPlace> next_part(TranscriptLayout& layout, std::size_t item,
                                   std::optional<std::size_t> part, int direction) {
  const auto count = [&] { return layout.items[item].parts(layout.width()).size(); };
  std::size_t n_parts = count();
  // Parts are numbered from 1 here; 0, and behind the last, is outside of them.
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

}  // namespace confab::ui
