// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_device.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "ui/error.h"

namespace confab::ui {

namespace {

using std::chrono::milliseconds;

constexpr ScreenSize kUsualSize{Rows{24}, Cols{80}};

int copy_of(int fd) {
  return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

// Opens the controlling terminal by its own name, if a standard descriptor is on it. Returns -1 if
// none is. The name /dev/tty is not used first because poll() does not accept it on macOS.
int open_by_name() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    std::array<char, 256> name{};
    if (tcgetpgrp(fd) < 0 || ttyname_r(fd, name.data(), name.size()) != 0) continue;
    const int opened = open(name.data(), O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (opened >= 0) return opened;
  }
  return -1;
}

// Takes three or more of the same arrow for the wheel, which moves three lines at a time.
std::vector<Event> wheel_of_arrows(std::string_view bytes) {
  constexpr std::size_t kArrow = 3, kFewest = 3, kLines = 3;
  const std::size_t n = bytes.size() / kArrow;
  if (bytes.size() % kArrow != 0 || n < kFewest) return {};
  const std::string_view arrow = bytes.substr(0, kArrow);
  const bool up = arrow == "\x1b[A" || arrow == "\x1bOA";
  if (!up && arrow != "\x1b[B" && arrow != "\x1bOB") return {};
  for (std::size_t i = 0; i < n; ++i)
    if (bytes.substr(i * kArrow, kArrow) != arrow) return {};
  return {(n + kLines - 1) / kLines, Key{.code = up ? Key::Code::wheel_up : Key::Code::wheel_down}};
}

int open_again(int fd) {
  std::array<char, 256> path{};
  if (ttyname_r(fd, path.data(), path.size()) != 0) return -1;
  return open(path.data(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
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
    if (bytes.size() >= limit) return true;  // the rest comes with the next call
  }
}

bool wants_accessible() noexcept {
  const char* wanted = std::getenv("ACCESSIBLE");
  return wanted != nullptr && *wanted != '\0' && std::string_view(wanted) != "0";
}

bool may_redraw(int fd) noexcept {
  const char* term = std::getenv("TERM");
  return isatty(fd) == 1 && !wants_accessible() && term != nullptr &&
         std::string_view(term) != "dumb";
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

std::vector<Event> TerminalInput::read_events() {
  std::vector<Event> events = std::exchange(early_, {});
  std::string bytes;
  const bool alive = read_available(fd_, bytes, KeyDecoder::kMaxPasteBytes);
  std::ranges::move(decode(bytes, true), std::back_inserter(events));
  if (!alive && !hung_up_) events.emplace_back(HangUp{});
  hung_up_ = hung_up_ || !alive;
  return events;
}

std::optional<milliseconds> TerminalInput::timeout() const {
  if (!early_.empty()) return milliseconds(0);
  const auto deadline = decoder_.deadline();
  if (!deadline) return std::nullopt;
  return std::max(std::chrono::ceil<milliseconds>(*deadline - Clock::now()), milliseconds(0));
}

void TerminalInput::await(const std::function<bool()>& done, milliseconds limit) {
  const auto end = Clock::now() + limit;
  for (bool alive = true; alive && !done();) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    pollfd wait{.fd = fd_, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) == 0) return;
    std::string bytes;
    alive = read_available(fd_, bytes, KeyDecoder::kMaxPasteBytes);
    std::ranges::move(decode(bytes, false), std::back_inserter(early_));
  }
  if (done()) decoder_.replies_complete();
}

std::vector<Event> TerminalInput::decode(std::string_view bytes, bool tells_answers) {
  if (wheel_as_arrows_ && !decoder_.deadline())
    if (std::vector<Event> wheel = wheel_of_arrows(bytes); !wheel.empty()) return wheel;
  const auto now = Clock::now();
  std::vector<Event> events = bytes.empty() ? decoder_.expire(now) : decoder_.feed(bytes, now);
  std::vector<Event> told;
  for (Event& event : events) {
    const auto* reply = std::get_if<TerminalReply>(&event);
    if (reply == nullptr) {
      told.push_back(std::move(event));
    } else if (auto news = answered_(*reply); news && tells_answers) {
      told.push_back(*std::move(news));
    }
  }
  return told;
}

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
