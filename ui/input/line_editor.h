// SPDX-License-Identifier: MIT
// GNU readline, which only line_editor.cpp includes; InputLine and PlainReader are made of it.
//
// readline keeps one line, one history and one set of keys for the whole program: at most one
// LineEditor may exist at a time. The user's inputrc is read by the first one; what it binds goes
// before the keys added here.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/input/input_line.h"

namespace confab::ui {

// What keys ask of the owner of the line; any may be empty. Only what `complete` and `expand` are
// for calls back into the editor, by replace().
struct LineEditorHooks {
  std::function<bool(int rows)> move = {};      // Up (-1) and Down (+1); true: the caret has moved
  std::function<void(int step)> complete = {};  // Tab (+1) and Shift+Tab (-1); Display::none
  std::function<void()> expand = {};            // Ctrl+O; Display::none
  std::function<void(std::string_view text)> pasted = {};  // has come in; Display::terminal
  // Asked before the history is searched or stepped into: all of it, if it is not what
  // set_history() was given.
  std::function<std::optional<std::vector<std::string>>()> changed_history = {};
};

class LineEditor {
 public:
  enum class Display {
    none,      // bytes come by feed(), and somebody else shows text(): readline touches no terminal
    terminal,  // readline reads stdin and draws on stdout
    teletype,  // as terminal, without an escape sequence whatever TERM says: for screen readers
  };
  explicit LineEditor(Display display);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Display::none. Whether feed() would do something with a key, as a terminal sends it: it is text
  // or a sequence that is bound.
  bool knows(std::string_view bytes) const noexcept;
  // Display::none. Whole keys, as a terminal sends them. Backspace, Delete and the arrows go by
  // what a person calls a character, where readline goes by code points.
  InputResult feed(std::string_view bytes);

  std::string_view text() const noexcept;
  std::size_t caret() const noexcept;
  std::string_view message() const noexcept;
  bool vi_mode() const noexcept;
  bool searching() const noexcept;  // Ctrl+R

  void insert(std::string_view text);  // no NUL; ends a search first
  void replace(std::size_t begin, std::size_t end, std::string_view text);  // one step to undo
  void set_text(std::string_view text);
  void set_caret(std::size_t offset);
  void clear();

  void set_hooks(LineEditorHooks hooks);
  void set_history(const std::vector<std::string>& entries);
  void add_history(std::string_view entry);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The line where readline draws it.
class DrawnLineEditor : public LineEditor {
 public:
  enum class Device { terminal, teletype };
  explicit DrawnLineEditor(Device device)
      : LineEditor(device == Device::teletype ? Display::teletype : Display::terminal) {}

  // begin() shows the prompt and takes over the terminal's modes; read() takes a byte, waiting for
  // it; when that completes the line, or by end(), the terminal is given back.
  void begin(const std::string& prompt);
  InputResult read();
  void end();
  // Gives the terminal back for the time of a stop, and shows the line again after it.
  void pause();
  void proceed();
  void resize();  // the terminal has another size

  void set_completer(Completer completer);
};

}  // namespace confab::ui
