// SPDX-License-Identifier: MIT
// The list of commands above the input: a slash at its beginning opens it, letters narrow it down.
// The text itself stays in the input.
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
    std::optional<std::string> text = {};  // that the input has from here on
    bool submits = false;                  // it is a command that runs
  };

  // The input has taken a key and now has this text. Only typing opens the list: what comes from
  // the history is passed over.
  void follow(const ui::Key& key, std::string_view text);
  // A key while the list is open, with what is in the input. nullopt: it is for the input. Up and
  // Down move, Tab completes, Enter chooses, Escape leaves with an empty input. A whole name that
  // was typed is the input's to submit.
  std::optional<Result> feed(const ui::Key& key, std::string_view text);
  // A click on a row of as many as are shown: that one is chosen, as if one had moved there.
  void move_to(const ui::MenuRow& place);
  // Lists these too, which must outlive it and have to be written, not run.
  void add(std::span<const Command> more) noexcept { more_ = more; }
  void close() noexcept { menu_.close(); }
  bool is_open() const noexcept { return menu_.is_open(); }

  std::vector<ui::Line> lines(ui::Cols width, ui::Rows rows) const {
    return menu_.lines(width, rows);
  }

 private:
  void open(std::string_view text);

  std::span<const Command> more_;
  std::string typed_;                  // behind the slash
  std::vector<const Command*> found_;  // what the menu lists
  bool moved_ = false;                 // by the person, who does not mean what was typed
  ui::CompletionMenu menu_;
};

// The commands that a name which is being typed may become, the best first: by the letters of their
// names, then by the words of their help. All, in their order, without one.
std::vector<const Command*> commands_like(std::string_view typed,
                                          std::span<const Command> more = {});

// What stands dim behind "/name ": the arguments, and what it does. Empty: it is not that.
std::string argument_hint(std::string_view text, std::span<const Command> more = {});

}  // namespace confab::app
