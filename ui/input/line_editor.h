// SPDX-License-Identifier: MIT
// A wrapper around GNU readline, which only line_editor.cpp includes. InputLine and PlainReader
// build on it.
//
// readline has one line, one history and one set of keys for the whole program, so at most one
// LineEditor may exist at a time. The first one reads the user's inputrc, and its bindings take
// precedence over the keys added here.
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

// The calls that keys make to the owner of the line. Any hook may be empty. `complete` and
// `expand` may change the line by replace().
struct LineEditorHooks {
  std::function<bool(int rows)> move = {};      // Up (-1) and Down (+1); true if the caret moved
  std::function<void(int step)> complete = {};  // Tab (+1) and Shift+Tab (-1); Display::none
  std::function<void()> expand = {};            // Ctrl+O; Display::none
  std::function<void(std::string_view text)> pasted = {};  // text was pasted; Display::terminal
  // Called before the history is searched or stepped through. Returns the whole history if it is no
  // longer the one passed to set_history().
  std::function<std::optional<std::vector<std::string>>()> changed_history = {};
};

class LineEditor {
 public:
  enum class Display {
    none,      // bytes come by feed(), the owner shows text(); readline uses no terminal
    terminal,  // readline reads stdin and draws on stdout
    teletype,  // like terminal, but without escape sequences whatever TERM says: for screen readers
  };
  explicit LineEditor(Display display);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Display::none only: whether feed() would act on the bytes of a key, because they are text or a
  // bound sequence.
  bool knows(std::string_view bytes) const noexcept;
  // Display::none only: feeds whole keys, in the bytes that a terminal sends. Backspace, Delete and
  // the arrows work on grapheme clusters, unlike readline's own, which work on code points.
  InputResult feed(std::string_view bytes);

  std::string_view text() const noexcept;
  std::size_t caret() const noexcept;
  std::string_view message() const noexcept;
  bool vi_mode() const noexcept;
  bool searching() const noexcept;  // by Ctrl+R

  void insert(std::string_view text);  // `text` must not contain NUL; ends a search first
  void replace(std::size_t begin, std::size_t end, std::string_view text);  // undone in one step
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

// A line that readline draws itself.
class DrawnLineEditor : public LineEditor {
 public:
  enum class Device { terminal, teletype };
  explicit DrawnLineEditor(Device device)
      : LineEditor(device == Device::teletype ? Display::teletype : Display::terminal) {}

  // begin() shows the prompt and takes over the terminal's modes. read() waits for a byte and
  // handles it. The terminal is given back when a read() completes the line, or by end().
  void begin(const std::string& prompt);
  InputResult read();
  void end();
  // pause() gives the terminal back while the process is stopped, and proceed() shows the line
  // again.
  void pause();
  void proceed();
  void resize();  // call it when the size of the terminal changed

  void set_completer(Completer completer);
};

}  // namespace confab::ui
