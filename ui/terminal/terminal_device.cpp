// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_device.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "ui/error.h"

namespace confab::ui {
namespace {

constexpr ScreenSize kUsualSize{Rows{24}, Cols{80}};

int copy_of(int fd) {
  return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

// The controlling terminal by its own name, where a standard descriptor is on it; -1: none is. The
// other name, /dev/tty, is one that poll() does not take on macOS.
int open_by_name() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    std::array<char, 256> name{};
    if (tcgetpgrp(fd) < 0 || ttyname_r(fd, name.data(), name.size()) != 0) continue;
    const int opened = open(name.data(), O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (opened >= 0) return opened;
  }
  return -1;
}

}  // namespace

ScreenSize screen_size(int fd) noexcept {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return kUsualSize;
  return {Rows{size.ws_row}, Cols{size.ws_col}};
}

bool in_foreground(int fd) noexcept {
  const pid_t group = tcgetpgrp(fd);
  return group < 0 || group == getpgrp();
}

bool read_available(int fd, std::string& bytes, std::size_t limit) {
  std::array<char, 65536> buffer;
  for (;;) {
    pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
    const int n_ready = poll(&wait, 1, 0);
    if (n_ready == 0 || (n_ready < 0 && errno == EINTR)) return true;
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return false;
    bytes.append(buffer.data(), static_cast<std::size_t>(n));
    if (bytes.size() >= limit) return true;  // the rest in the next round
  }
}

TerminalDevice::TerminalDevice() {
  if (isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1) {
    in_ = copy_of(STDIN_FILENO);
    out_ = copy_of(STDOUT_FILENO);
  } else {
    in_ = open_by_name();
    if (in_ < 0) in_ = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (in_ < 0)
      throw TerminalError(std::string("stdin or stdout is not a terminal, and /dev/tty: ") +
                          std::strerror(errno));
    out_ = copy_of(in_);
  }
  if (in_ >= 0 && out_ >= 0) return;
  const int error = errno;
  for (const int fd : {in_, out_})
    if (fd >= 0) close(fd);
  throw TerminalError(std::string("cannot reopen the terminal: ") + std::strerror(error));
}

TerminalDevice::~TerminalDevice() {
  close(in_);
  close(out_);
}

void TerminalDevice::use_raw_modes() const noexcept {
  termios modes{};
  if (tcgetattr(out_, &modes) != 0) return;
  cfmakeraw(&modes);
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  tcsetattr(out_, TCSADRAIN, &modes);
}

}  // namespace confab::ui
