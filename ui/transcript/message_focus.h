// SPDX-License-Identifier: MIT
// The message of a conversation that has the focus, or a code block, table or link in it. Keys act
// on it, and it is always brought into view.
#pragma once

#include <cstddef>
#include <optional>

#include "ui/markdown/markdown.h"
#include "ui/transcript/transcript_layout.h"
#include "ui/transcript/transcript_window.h"

namespace confab::ui {

// Returns the next message below (1) or above (-1) an item, skipping the tail, or `from` if there
// is none. `from` may be one past the last item.
std::size_t next_message(const TranscriptLayout& layout, std::size_t from, int direction);

struct PartPlace {
  std::size_t item;
  std::size_t part;
  bool operator==(const PartPlace&) const = default;
};
// Returns the next part below or above, also in another message. It starts from a part of the item
// or, without `part`, from the item's beginning or end. Returns nullopt if there is none.
std::optional<PartPlace> next_part(TranscriptLayout& layout, std::size_t item,
                                   std::optional<std::size_t> part, int direction);

class MessageFocus {
 public:
  // Both must outlive the object.
  MessageFocus(TranscriptLayout& layout, TranscriptWindow& window)
      : layout_(layout), window_(window) {}

  // Moves the focus to an item further down (up if negative) and stops at both ends. If nothing has
  // the focus, it goes to the last message in view, whatever n_items is.
  void step(int n_items);
  // Moves the focus to the message with this number, if it exists.
  void go_to(std::size_t message);
  // Moves to the next (1) or previous (-1) code block, table or link, also in another message.
  // Returns false if there is none.
  bool step_part(int direction);
  void leave() noexcept;

  TranscriptItem* item() noexcept;     // null if nothing has the focus; valid until items are added
  std::optional<MarkdownPart> part();  // nullopt: the message as a whole
  void toggle_fold();                  // folds or unfolds the message

  // The lines of the item that have the focus. Empty if nothing has it.
  struct Lines {
    std::size_t item = 0;
    int begin = 0, end = 0;
    std::size_t part = 0;  // number of the part, from 1; 0: the message as a whole
    MarkdownPart::Kind kind = {};
    bool contains(std::size_t of_item, int line) const noexcept {
      return of_item == item && line >= begin && line < end;
    }
  };
  Lines lines();

  // A new item was inserted there, and the later ones moved by one.
  void inserted(std::size_t item) noexcept;

 private:
  void focus(std::size_t item, std::optional<std::size_t> part);

  TranscriptLayout& layout_;
  TranscriptWindow& window_;
  std::optional<std::size_t> item_;
  std::optional<std::size_t> part_;  // index into the item's parts
};

}  // namespace confab::ui
