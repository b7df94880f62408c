// SPDX-License-Identifier: MIT
// From one message, code block, table or link of a conversation to the next. Only
// message_focus.cpp needs this.
#pragma once

#include <cstddef>
#include <optional>

#include "ui/transcript/transcript_layout.h"

namespace confab::ui {

// The message below (1) or above (-1) an item, passing over the tail; the item itself when there
// is none. `from` may be behind the last item.
std::size_t next_message(const TranscriptLayout& layout, std::size_t from, int direction);

struct PartPlace {
  std::size_t item;
  std::size_t part;
  bool operator==(const PartPlace&) const = default;
};
// The part below or above one of an item, or below or above the item's beginning or end where it
// is the item as a whole that one is at; also of another message. nullopt: there is none.
std::optional<PartPlace> next_part(TranscriptLayout& layout, std::size_t item,
                                   std::optional<std::size_t> part, int direction);

}  // namespace confab::ui
