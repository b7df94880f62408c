// SPDX-License-Identifier: MIT
// A function run in a process of its own that has a pseudo-terminal, seen from the other side: what
// it writes, what a person types, the size, the modes that it leaves behind. Only for what needs a
// real terminal, in suites whose names end in TerminalTest: `ctest -L terminal`.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace confab::ui {

class Pty {
 public:
  static constexpr std::chrono::seconds kTimeout{20};

  // The child's exit status is what `body` returns, kUncaught after an exception.
  static constexpr int kUncaught = 99;
  template <typename Body>
  explicit Pty(Body body, int rows = 24, int cols = 80) {
    const auto* suite = testing::UnitTest::GetInstance()->current_test_suite();
    EXPECT_TRUE(std::string_view(suite->name()).ends_with("TerminalTest")) << suite->name();
    winsize size{};
    size.ws_row = static_cast<unsigned short>(rows);
    size.ws_col = static_cast<unsigned short>(cols);
    EXPECT_EQ(openpty(&master_, &slave_, nullptr, nullptr, &size), 0);
    before_ = modes();
    child_ = fork();
    if (child_ != 0) return;
    close(master_);
    setsid();
    ioctl(slave_, TIOCSCTTY, 0);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(slave_, fd);
    close(slave_);
    int status = kUncaught;
    try {
      status = body();
    } catch (const std::exception& error) {
      write_all(STDOUT_FILENO, error.what());
    }
    _exit(status);
  }

  ~Pty() {
    if (!reaped_) {
      kill(child_, SIGKILL);
      wait();
    }
    hang_up();
    close(slave_);
  }
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  static void write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd, bytes.data(), bytes.size());
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  // What a body may return: 0 when all of it is so, else 1, after writing what is not.
  static int all_so(std::initializer_list<std::pair<std::string_view, bool>> claims) {
    int status = 0;
    for (const auto& [claim, is_so] : claims) {
      if (is_so) continue;
      write_all(STDOUT_FILENO, "NOT SO: " + std::string(claim) + "\n");
      status = 1;
    }
    return status;
  }

  pid_t child() const noexcept { return child_; }
  void type(std::string_view bytes) const { write_all(master_, bytes); }

  void resize(int rows, int cols) const {
    winsize size{};
    size.ws_row = static_cast<unsigned short>(rows);
    size.ws_col = static_cast<unsigned short>(cols);
    ioctl(master_, TIOCSWINSZ, &size);
  }

  void hang_up() {
    if (master_ >= 0) close(master_);
    master_ = -1;
  }

  // Waits until the output since the last take() holds `text`; false: it did not come in time.
  bool sees(std::string_view text) {
    const auto end = std::chrono::steady_clock::now() + kTimeout;
    while (output_.find(text) == std::string::npos) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0 || !read_some(static_cast<int>(left.count()))) {
        ADD_FAILURE() << "did not see " << testing::PrintToString(std::string(text)) << " in "
                      << testing::PrintToString(output_);
        return false;
      }
    }
    return true;
  }

  std::string take() { return std::exchange(output_, {}); }

  // The child's status, as of waitpid(); all that it wrote is in take() then. A child that does not
  // end in time is killed.
  int wait() {
    const auto end = std::chrono::steady_clock::now() + kTimeout;
    int status = 0;
    // Reading goes on meanwhile, as a full terminal would hold the child up.
    while (waitpid(child_, &status, WNOHANG) == 0) {
      read_some(10);
      if (std::chrono::steady_clock::now() > end) kill(child_, SIGKILL);
    }
    reaped_ = true;
    while (read_some(0)) {
    }
    return status;
  }

  termios modes() const {
    termios now{};
    tcgetattr(slave_, &now);
    return now;
  }
  bool modes_restored() const {
    const termios now = modes();
    return now.c_iflag == before_.c_iflag && now.c_oflag == before_.c_oflag &&
           now.c_lflag == before_.c_lflag && now.c_cflag == before_.c_cflag &&
           std::memcmp(now.c_cc, before_.c_cc, sizeof now.c_cc) == 0;
  }

 private:
  bool read_some(int timeout_ms) {
    if (master_ < 0) return false;
    pollfd wait{.fd = master_, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, timeout_ms) != 1) return false;
    std::array<char, 65536> buffer;
    const ssize_t n = read(master_, buffer.data(), buffer.size());
    if (n > 0) output_.append(buffer.data(), static_cast<std::size_t>(n));
    return n > 0;
  }

  int master_ = -1;
  int slave_ = -1;
  pid_t child_ = -1;
  bool reaped_ = false;
  std::string output_;
  termios before_{};
};

}  // namespace confab::ui
