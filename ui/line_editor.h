// SPDX-License-Identifier: MIT
// GNU readline, and the only file that includes it; InputLine and PlainReader are made of it.
//
// readline keeps one line, one history and one set of keys for the whole program: at most one
// LineEditor may exist at a time. The user's inputrc is read by the first one; what it binds goes
// before the keys added here.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ui/input_line.h"

namespace confab::ui {

class LineEditor {
 public:
  enum class Display {
    none,      // bytes come by feed(), and somebody else shows text(): readline touches no terminal
    terminal,  // readline reads stdin and draws on stdout
  };
  explicit LineEditor(Display display);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Display::none. Whole keys, as a terminal sends them.
  InputResult feed(std::string_view bytes);

  // Display::terminal. begin() shows the prompt and takes over the terminal's modes; read() takes
  // a byte, waiting for it; when that completes the line, or by end(), the terminal is given back.
  void begin(const std::string& prompt);
  InputResult read();
  void end();
  // Gives the terminal back for the time of a stop, and shows the line again after it.
  void pause();
  void proceed();
  void resize();  // the terminal has another size

  std::string_view text() const noexcept;
  std::size_t caret() const noexcept;
  std::string_view message() const noexcept;
  bool vi_mode() const noexcept;
  bool searching() const noexcept;  // Ctrl+R

  void insert(std::string_view text);  // no NUL; ends a search first
  void set_text(std::string_view text);
  void set_caret(std::size_t offset);
  void clear();

  void set_completer(Completer completer);
  // Up (-1) and Down (+1) ask this first; true: it has moved the caret.
  void set_vertical_move(std::function<bool(int rows)> move);
  void set_history(const std::vector<std::string>& entries);
  void add_history(std::string_view entry);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace confab::ui
