// SPDX-License-Identifier: MIT
#include "ui/terminal/plain_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "ui/error.h"

namespace confab::ui {

PlainWriter::PlainWriter(int fd, WriteFaults faults) : PlainWriter(fd, isatty(fd) == 1, faults) {}

bool PlainWriter::write(std::string_view text) {
  return is_terminal_ ? put(sanitizer_.feed(text)) : put(text);
}

bool PlainWriter::finish(bool end_line) {
  if (is_terminal_ && !put(sanitizer_.flush())) return false;
  const bool ok = !end_line || at_line_start_ || put("\n");
  at_line_start_ = true;
  return ok;
}

bool PlainWriter::put(std::string_view bytes) {
  if (!bytes.empty()) at_line_start_ = bytes.back() == '\n';
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Another program that shares the descriptor made it non-blocking.
      pollfd wait{.fd = fd_, .events = POLLOUT, .revents = 0};
      poll(&wait, 1, -1);
    } else if (errno == EINTR) {
      continue;
    } else if (errno == EPIPE || faults_ == WriteFaults::ignored) {
      return false;
    } else {
      throw TerminalError(std::string("standard output: cannot be written: ") +
                          std::strerror(errno));
    }
  }
  return true;
}

}  // namespace confab::ui
