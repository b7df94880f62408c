// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_output.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace confab::ui {
namespace {

int open_again(int fd) {
  std::array<char, 256> path{};
  if (ttyname_r(fd, path.data(), path.size()) != 0) return -1;
  return open(path.data(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

}  // namespace

TerminalOutput::TerminalOutput(int fd) : fd_(open_again(fd)), owned_(fd_ >= 0) {
  if (!owned_) fd_ = fd;
}

TerminalOutput::~TerminalOutput() {
  if (owned_) close(fd_);
}

void TerminalOutput::send(std::string_view bytes) {
  bytes_.append(bytes);
  flush();
}

void TerminalOutput::flush() {
  while (pending()) {
    const ssize_t n = write(fd_, bytes_.data() + begin_, bytes_.size() - begin_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n < 0) break;
    begin_ += static_cast<std::size_t>(n);
  }
  bytes_.clear();
  begin_ = 0;
}

bool TerminalOutput::drain(std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + limit;
  while (pending()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd wait{.fd = fd_, .events = POLLOUT, .revents = 0};
    if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) == 0) break;
    flush();
  }
  if (!pending()) return true;
  bytes_.clear();
  begin_ = 0;
  tcflush(fd_, TCOFLUSH);
  return false;
}

}  // namespace confab::ui
