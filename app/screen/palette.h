// SPDX-License-Identifier: MIT
// The list of commands above the input. A slash at the start of the input opens it, and letters
// narrow it down. The text stays in the input.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.h"
#include "ui/event.h"
#include "ui/input/completion_menu.h"
#include "ui/transcript/chat_view.h"

namespace confab::app {

class Palette {
 public:
  struct Result {
    std::optional<std::string> text = {};  // the input's new text
    bool submits = false;                  // run it as a command
  };

  // The input has taken a key and now holds this text. Only typing opens the list; text from the
  // history does not.
  void follow(const ui::Key& key, std::string_view text);
  // Takes a key while the list is open. `text` is the input's text. Returns nullopt if the input
  // should get the key. Up and Down move, Tab completes, Enter chooses, and Escape closes the list
  // and empties the input. Enter on a fully typed name is left to the input.
  std::optional<Result> feed(const ui::Key& key, std::string_view text);
  // A click on a row of the shown part: selects that entry, as if moved to by keys.
  void move_to(const ui::MenuRow& place);
  // Also lists these commands, which must outlive the palette. They are written, not run.
  void add(std::span<const Command> more) noexcept { more_ = more; }
  void close() noexcept { menu_.close(); }
  bool is_open() const noexcept { return menu_.is_open(); }

  std::vector<ui::Line> lines(ui::Cols width, ui::Rows rows) const {
    return menu_.lines(width, rows);
  }

 private:
  void open(std::string_view text);

  std::span<const Command> more_;
  std::string typed_;                  // the text after the slash
  std::vector<const Command*> found_;  // the entries of the menu
  bool moved_ = false;                 // the person has selected an entry, instead of typing
  ui::CompletionMenu menu_;
};

// The commands that a partly typed name may mean, best first: matches by name, then by words in the
// help. Returns all, in order, if nothing is typed.
std::vector<const Command*> commands_like(std::string_view typed,
                                          std::span<const Command> more = {});

// The dim text after "/name ": the command's arguments and help. "" if `text` is anything else.
std::string argument_hint(std::string_view text, std::span<const Command> more = {});

}  // namespace confab::app
