// SPDX-License-Identifier: MIT
// The terminal as a file: opened, asked its size, set to raw modes.
#pragma once

#include <cstddef>
#include <string>

#include "ui/text.h"

namespace confab::ui {

struct ScreenSize {
  Rows rows;
  Cols cols;
  bool operator==(const ScreenSize&) const = default;
};

// The size of the terminal at a descriptor; 24x80 when it is none or does not know.
ScreenSize screen_size(int fd) noexcept;

// Whether this process's group is in the foreground of the terminal at a descriptor, so that what
// is typed there is for it: reading in the background would stop it (SIGTTIN). True where nobody
// decides on that.
bool in_foreground(int fd) noexcept;

// Appends what can be read without waiting, up to about `limit` bytes; false: it has ended.
bool read_available(int fd, std::string& bytes, std::size_t limit);

// The terminal of stdin and stdout, or /dev/tty when either is none; closed with the object.
class TerminalDevice {
 public:
  TerminalDevice();  // throws TerminalError when there is none
  ~TerminalDevice();
  TerminalDevice(const TerminalDevice&) = delete;
  TerminalDevice& operator=(const TerminalDevice&) = delete;

  int in() const noexcept { return in_; }
  int out() const noexcept { return out_; }

  // Every key as it comes, no echo, no signals, output as it is written.
  void use_raw_modes() const noexcept;
  bool in_foreground() const noexcept { return ui::in_foreground(in_); }

 private:
  int in_ = -1;
  int out_ = -1;
};

}  // namespace confab::ui
