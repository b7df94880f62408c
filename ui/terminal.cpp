// SPDX-License-Identifier: MIT
#include "ui/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "ui/error.h"
#include "ui/frame_writer.h"
#include "ui/key_decoder.h"
#include "ui/terminal_description.h"
#include "ui/terminal_output.h"
#include "ui/terminal_reset.h"

namespace confab::ui {
namespace {

constexpr ScreenSize kUsualSize{Rows{24}, Cols{80}};
// For a terminal to read what it was sent, when it is given back.
constexpr std::chrono::milliseconds kDrainTime{1000};
// CAN: ends a sequence whose rest was dropped (ECMA-48, 8.3.6).
constexpr std::string_view kCancel = "\x18";

// A terminal that is gone shows when it is read from.
void write_all(int fd, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {
    if (fd < 0)
      throw TerminalError(std::string("cannot open the terminal again: ") + std::strerror(errno));
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

struct Descriptors {
  Descriptor in;
  Descriptor out;
};

int copy_of(int fd) {
  return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

Descriptors open_terminal() {
  if (isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1)
    return {Descriptor(copy_of(STDIN_FILENO)), Descriptor(copy_of(STDOUT_FILENO))};
  const int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (fd < 0)
    throw TerminalError(std::string("stdin or stdout is no terminal, and /dev/tty: ") +
                        std::strerror(errno));
  Descriptor in(fd);
  return {std::move(in), Descriptor(copy_of(fd))};
}

// Every key as it comes, no echo, no signals, output as it is written.
void use_raw_modes(int fd) {
  termios modes{};
  if (tcgetattr(fd, &modes) != 0) return;
  cfmakeraw(&modes);
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  tcsetattr(fd, TCSADRAIN, &modes);
}

}  // namespace

ScreenSize screen_size(int fd) noexcept {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return kUsualSize;
  return {Rows{size.ws_row}, Cols{size.ws_col}};
}

class Terminal::Impl {
 public:
  Impl()
      : fds_(open_terminal()),
        description_(describe_terminal(out())),
        reset_(out(), description_.leave),
        output_(out()),
        theme_(default_theme()) {
    enter();
  }
  ~Impl() { leave(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  int in() const noexcept { return fds_.in.get(); }
  int out() const noexcept { return fds_.out.get(); }
  ColorDepth depth() const noexcept { return description_.can.depth; }

  void set_theme(const Theme& theme) {
    theme_ = theme;
    invalidate();
  }

  void invalidate() noexcept { shown_.reset(); }

  void draw(const Frame& frame) {
    if (suspended_) return;
    output_.flush();
    if (output_.pending()) {
      waiting_ = frame;
      return;
    }
    waiting_.reset();
    show(frame);
  }

  int output_fd() const noexcept { return output_.pending() ? output_.fd() : -1; }

  void continue_output() {
    output_.flush();
    if (waiting_ && !output_.pending()) show(*std::exchange(waiting_, std::nullopt));
  }

  std::vector<Event> read_events() {
    std::string bytes;
    const bool alive = read_available(bytes);
    const auto now = KeyDecoder::Clock::now();
    std::vector<Event> events = bytes.empty() ? decoder_.expire(now) : decoder_.feed(bytes, now);
    if (!alive && !hung_up_) events.emplace_back(HangUp{});
    hung_up_ = hung_up_ || !alive;
    return events;
  }

  std::optional<KeyDecoder::Clock::time_point> deadline() const { return decoder_.deadline(); }

  void suspend() {
    leave();
    suspended_ = true;
  }

  void resume() {
    if (tcgetpgrp(in()) != getpgrp()) return;
    enter();
    suspended_ = false;
    invalidate();
  }

 private:
  void enter() {
    reset_.arm();
    use_raw_modes(out());
    output_.send(description_.enter);
  }

  void leave() noexcept {
    if (suspended_) return;
    waiting_.reset();
    if (!output_.drain(kDrainTime)) write_all(out(), kCancel);
    write_all(out(), description_.leave);
    reset_.restore_modes();
    reset_.disarm();
  }

  void show(const Frame& frame) {
    const ScreenSize now = screen_size(out());
    if (now != size_) invalidate();
    size_ = now;
    if (frame.rows() > now.rows || frame.cols() > now.cols) {
      send(frame.cropped(now.rows, now.cols));
    } else {
      send(frame);
    }
  }

  void send(const Frame& frame) {
    output_.send(write_frame(shown_ ? &*shown_ : nullptr, frame, description_.can, theme_));
    shown_ = frame;
  }

  // Appends what can be read without waiting; false: the terminal is gone.
  bool read_available(std::string& bytes) const {
    std::array<char, 65536> buffer;
    for (;;) {
      pollfd wait{.fd = in(), .events = POLLIN, .revents = 0};
      const int n_ready = poll(&wait, 1, 0);
      if (n_ready == 0 || (n_ready < 0 && errno == EINTR)) return true;
      const ssize_t n = read(in(), buffer.data(), buffer.size());
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n <= 0) return false;
      bytes.append(buffer.data(), static_cast<std::size_t>(n));
      if (bytes.size() >= KeyDecoder::kMaxPasteBytes) return true;  // the rest in the next round
    }
  }

  Descriptors fds_;
  TerminalDescription description_;
  TerminalReset reset_;
  TerminalOutput output_;
  Theme theme_;
  ScreenSize size_;               // when shown_ was drawn
  std::optional<Frame> shown_;    // nullopt: not known
  std::optional<Frame> waiting_;  // drawn while the terminal had not taken shown_ yet
  KeyDecoder decoder_;
  bool suspended_ = false;
  bool hung_up_ = false;
};

Terminal::Terminal() : impl_(std::make_unique<Impl>()) {}
Terminal::~Terminal() = default;

ScreenSize Terminal::size() const noexcept {
  return screen_size(impl_->out());
}
ColorDepth Terminal::depth() const noexcept {
  return impl_->depth();
}
void Terminal::set_theme(const Theme& theme) {
  impl_->set_theme(theme);
}
void Terminal::draw(const Frame& frame) {
  impl_->draw(frame);
}
void Terminal::invalidate() noexcept {
  impl_->invalidate();
}
int Terminal::output_fd() const noexcept {
  return impl_->output_fd();
}
void Terminal::continue_output() {
  impl_->continue_output();
}
int Terminal::input_fd() const noexcept {
  return impl_->in();
}
std::vector<Event> Terminal::read_events() {
  return impl_->read_events();
}
void Terminal::suspend() {
  impl_->suspend();
}
void Terminal::resume() {
  impl_->resume();
}

std::optional<std::chrono::milliseconds> Terminal::input_timeout() const {
  const auto deadline = impl_->deadline();
  if (!deadline) return std::nullopt;
  const auto left = *deadline - KeyDecoder::Clock::now();
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds{0});
}

}  // namespace confab::ui
