// SPDX-License-Identifier: MIT
// The message of a conversation that has the focus, or a code block, table or link in it: keys act
// on it. What gets the focus comes into view.
#pragma once

#include <cstddef>
#include <optional>

#include "ui/markdown/markdown.h"
#include "ui/transcript/transcript_layout.h"
#include "ui/transcript/transcript_window.h"

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

class MessageFocus {
 public:
  // Both must outlive the object.
  MessageFocus(TranscriptLayout& layout, TranscriptWindow& window)
      : layout_(layout), window_(window) {}

  // The focus goes to the last message in view, whatever n_items is, when nothing has it; else to
  // one further down (up: negative). Stops at both ends.
  void step(int n_items);
  // The focus goes to the message with this number, if it is there.
  void go_to(std::size_t message);
  // The next (1) or previous (-1) code block or link, also of another message. False: there is
  // none.
  bool step_part(int direction);
  void leave() noexcept;

  TranscriptItem* item() noexcept;     // null: nothing has the focus; valid until items are added
  std::optional<MarkdownPart> part();  // nullopt: the message as a whole
  void toggle_fold();                  // of the message

  // The lines of its item that have the focus; none when nothing has it.
  struct Lines {
    std::size_t item = 0;
    int begin = 0, end = 0;
    std::size_t part = 0;  // its number, from 1; 0: the message as a whole
    MarkdownPart::Kind kind = {};
    bool contains(std::size_t of_item, int line) const noexcept {
      return of_item == item && line >= begin && line < end;
    }
  };
  Lines lines();

  // The item is new there; those from there on have moved by one.
  void inserted(std::size_t item) noexcept;

 private:
  void focus(std::size_t item, std::optional<std::size_t> part);

  TranscriptLayout& layout_;
  TranscriptWindow& window_;
  std::optional<std::size_t> item_;
  std::optional<std::size_t> part_;  // of its parts
};

}  // namespace confab::ui
