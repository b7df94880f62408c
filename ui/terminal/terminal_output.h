// SPDX-License-Identifier: MIT
// Bytes to a terminal that may read more slowly than they come, without ever waiting for it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace confab::ui {

class TerminalOutput {
 public:
  // `fd` is the terminal, open for writing (borrowed). It is opened once more, since not to wait is
  // a property of what was opened: programs that share `fd` are not to notice. Where that cannot
  // be, send() waits.
  explicit TerminalOutput(int fd);
  ~TerminalOutput();
  TerminalOutput(const TerminalOutput&) = delete;
  TerminalOutput& operator=(const TerminalOutput&) = delete;

  int fd() const noexcept { return fd_; }  // poll for POLLOUT while pending(), then flush()
  bool pending() const noexcept { return begin_ < bytes_.size(); }

  // Adds bytes and writes what the terminal takes. After a write that failed, as the terminal is
  // gone, all is dropped: reading tells that.
  void send(std::string_view bytes);
  void flush();
  // Waits until all is written, or the time is up; then what is left is dropped and the bytes that
  // the terminal has not read yet with it. False: that was so.
  bool drain(std::chrono::milliseconds limit);

 private:
  int fd_;
  bool owned_ = false;
  std::string bytes_;
  std::size_t begin_ = 0;  // what is before it has been written
};

}  // namespace confab::ui
