// SPDX-License-Identifier: MIT
// A terminal's screen for tests: bytes in, cells with their looks and links out. libvterm
// interprets; what it does not keep (hyperlinks) or leaves to its caller (the cells) is here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ui/frame.h"
#include "ui/theme.h"

namespace confab::ui {

struct VtCell {
  std::string text = " ";  // empty: the right half of a wide character
  Look look;               // all but `dim`, which libvterm does not know
  std::string link;
  bool operator==(const VtCell&) const = default;
};

class VtScreen {
 public:
  VtScreen(int rows, int cols);
  ~VtScreen();
  VtScreen(const VtScreen&) = delete;
  VtScreen& operator=(const VtScreen&) = delete;

  void feed(std::string_view bytes);
  void resize(int rows, int cols);

  int rows() const noexcept;
  int cols() const noexcept;
  const VtCell& at(int row, int col) const;
  Point cursor() const;
  bool cursor_visible() const noexcept;
  bool alternate() const noexcept;  // the alternate screen is shown
  int n_bells() const noexcept;
  int n_scrolled() const noexcept;  // lines that the whole screen has scrolled up
  std::string take_answers();       // what the terminal has sent back
  std::string to_text() const;      // as Frame::to_text()

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace confab::ui
