// SPDX-License-Identifier: MIT
#include "tests/app/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace confab::app {
namespace {

constexpr std::chrono::seconds kPatience{60};  // sanitizers are slow

int as_status(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

// In the child. Does not return.
[[noreturn]] void exec(const TempDir& home, std::vector<std::string> all,
                       const Environment& environment) {
  std::vector<std::string> variables = environment;
  const auto is_given = [&](const std::string& usual) {
    const std::string name = usual.substr(0, usual.find('=') + 1);
    return std::ranges::any_of(environment,
                               [&](const std::string& v) { return v.starts_with(name); });
  };
  for (const std::string& usual :
       {"HOME=" + home.path().string(), std::string("PATH=/usr/bin:/bin"),
        std::string("LANG=C.UTF-8"), std::string("TERM=xterm-256color")})
    if (!is_given(usual)) variables.push_back(usual);
  for (const char* kept : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "CONFAB_ISA"})
    if (const char* value = std::getenv(kept)) variables.push_back(std::string(kept) + "=" + value);
  std::vector<char*> argv, envp;
  for (std::string& word : all) argv.push_back(word.data());
  for (std::string& variable : variables) envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  execve(argv[0], argv.data(), envp.data());
  _exit(127);
}

std::vector<std::string> confab(std::vector<std::string> words) {
  words.insert(words.begin(), confab_program());
  return words;
}

struct Pipe {
  std::array<int, 2> fds{};
  Pipe() {
    if (pipe2(fds.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  }
};

// Feeds `input` and gathers both outputs until the child has closed them.
void converse(int in, const std::string& input, int out, int err, RunResult& result) {
  std::size_t written = 0;
  if (input.empty()) close(std::exchange(in, -1));
  int open_outputs = 2;
  while (open_outputs > 0) {
    std::array<pollfd, 3> fds{{{out, POLLIN, 0}, {err, POLLIN, 0}, {in, POLLOUT, 0}}};
    if (poll(fds.data(), fds.size(), 60'000) <= 0) return;
    if ((fds[2].revents & POLLOUT) != 0) {
      const ssize_t n = write(in, input.data() + written, input.size() - written);
      if (n > 0) written += static_cast<std::size_t>(n);
      if (n < 0 || written == input.size()) close(std::exchange(in, -1));
    } else if (fds[2].revents != 0) {
      close(std::exchange(in, -1));
    }
    const auto gather = [&](pollfd& fd, int& source, std::string& text) {
      if (fd.revents == 0) return;
      std::array<char, 65536> buffer;
      const ssize_t n = read(source, buffer.data(), buffer.size());
      if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
      if (n <= 0) {
        source = -1;
        --open_outputs;
      }
    };
    gather(fds[0], out, result.out);
    gather(fds[1], err, result.err);
  }
  if (in >= 0) close(in);
}

}  // namespace

std::string confab_program() {
  const char* given = std::getenv("CONFAB_PROGRAM");
  return given != nullptr ? given : CONFAB_BINARY_DIR "/app/confab";
}

RunResult run_program(const TempDir& home, const std::vector<std::string>& words,
                      const std::string& input, const Environment& environment) {
  return run_command(home, confab(words), input, environment);
}

RunResult run_command(const TempDir& home, const std::vector<std::string>& command,
                      const std::string& input, const Environment& environment) {
  ::signal(SIGPIPE, SIG_IGN);
  const Pipe in, out, err;
  const pid_t pid = fork();
  if (pid == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    dup2(in.fds[0], STDIN_FILENO);
    dup2(out.fds[1], STDOUT_FILENO);
    dup2(err.fds[1], STDERR_FILENO);
    exec(home, command, environment);
  }
  for (const int fd : {in.fds[0], out.fds[1], err.fds[1]}) close(fd);
  RunResult result;
  converse(in.fds[1], input, out.fds[0], err.fds[0], result);
  for (const int fd : {out.fds[0], err.fds[0]}) close(fd);
  int status = 0;
  waitpid(pid, &status, 0);
  result.status = as_status(status);
  return result;
}

RunningProgram::~RunningProgram() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (in_ >= 0 && in_ != out_) close(in_);
  if (out_ >= 0) close(out_);
}

void RunningProgram::type(const std::string& keys) {
  if (write(in_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::runtime_error("typing: write");
}

void RunningProgram::signal(int number) {
  if (pid_ <= 0) throw std::runtime_error("signal: the program has ended");  // -1 would mean all
  kill(pid_, number);
}

bool RunningProgram::read_some(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  pollfd fd{out_, POLLIN, 0};
  if (left.count() <= 0 || poll(&fd, 1, static_cast<int>(left.count())) <= 0) return false;
  std::array<char, 65536> buffer;
  const ssize_t n = read(out_, buffer.data(), buffer.size());
  if (n <= 0) return false;
  output_.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

bool RunningProgram::wait_for(const std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    if (const std::size_t at = output_.find(text, seen_); at != std::string::npos) {
      seen_ = at + text.size();
      return true;
    }
    if (!read_some(deadline)) return false;
  }
}

// A terminal hands over what was written to it some time later: a mark behind it tells that all has
// come.
void RunningProgram::read_rest() {
  using Clock = std::chrono::steady_clock;
  constexpr char kMark = '\x1e';
  if (terminal_ < 0 || out_ < 0) {
    while (read_some(Clock::now() + std::chrono::milliseconds(10))) {
    }
    return;
  }
  const auto deadline = Clock::now() + kPatience;
  for (pollfd room{terminal_, POLLOUT, 0}; poll(&room, 1, 0) != 1;)
    if (!read_some(deadline)) return;
  if (write(terminal_, &kMark, 1) != 1) return;
  while (!output_.ends_with(kMark))
    if (!read_some(deadline)) return;
  output_.pop_back();
}

int RunningProgram::wait_for_exit() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (pid_ > 0 && std::chrono::steady_clock::now() < deadline) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      read_rest();
      return as_status(status);
    }
    if (!reads_ || out_ < 0)
      poll(nullptr, 0, 20);
    else
      read_some(std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
  }
  return -1;
}

bool RunningProgram::wait_until_stopped() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG | WUNTRACED) == pid_) {
      if (WIFSTOPPED(status)) return true;
      pid_ = -1;
      return false;
    }
    read_some(std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
  }
  return false;
}

PipeProgram::PipeProgram(const TempDir& home, const std::vector<std::string>& words,
                         const Environment& environment) {
  ::signal(SIGPIPE, SIG_IGN);
  const Pipe in, out;
  pid_ = fork();
  if (pid_ == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    dup2(in.fds[0], STDIN_FILENO);
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) dup2(out.fds[1], fd);
    setpgid(0, 0);  // a job of its own, which can be stopped
    exec(home, confab(words), environment);
  }
  for (const int fd : {in.fds[0], out.fds[1]}) close(fd);
  in_ = in.fds[1];
  out_ = out.fds[0];
}

void PipeProgram::end_input() {
  close(std::exchange(in_, -1));
}

PtyProgram::PtyProgram(const TempDir& home, const std::vector<std::string>& words, int rows,
                       int cols, const Environment& environment)
    : PtyProgram(Command{confab(words)}, home, rows, cols, environment) {}

PtyProgram::PtyProgram(const Command& command, const TempDir& home, int rows, int cols,
                       const Environment& environment) {
  const auto* suite = testing::UnitTest::GetInstance()->current_test_suite();
  EXPECT_TRUE(std::string_view(suite->name()).ends_with("TerminalTest")) << suite->name();
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(cols);
  if (openpty(&out_, &terminal_, nullptr, nullptr, &size) != 0) throw std::runtime_error("openpty");
  in_ = out_;
  pid_ = fork();
  if (pid_ == 0) {
    close(out_);
    login_tty(terminal_);
    exec(home, command.words, environment);
  }
  // The slave stays open here, so that its settings can be looked at after the program's end.
}

PtyProgram::~PtyProgram() {
  close(terminal_);
}

void PtyProgram::resize(int rows, int cols) {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(cols);
  ioctl(out_, TIOCSWINSZ, &size);
  signal(SIGWINCH);
}

// What is written reaches the reader's side a little later, which makes room once more.
void PtyProgram::stop_reading(std::size_t room) {
  constexpr int kHandOverMs = 20;
  reads_ = false;
  std::array<char, 256> path{};
  if (ttyname_r(terminal_, path.data(), path.size()) != 0) throw std::runtime_error("pty: no name");
  const int filler = open(path.data(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (filler < 0) throw std::runtime_error("pty: open");
  for (int n_quiet = 0; n_quiet < 2; poll(nullptr, 0, kHandOverMs), ++n_quiet)
    while (write(filler, ".", 1) == 1) n_quiet = 0;
  close(filler);
  std::array<char, 4096> taken;
  if (room > 0 && read(out_, taken.data(), std::min(room, taken.size())) < 0)
    throw std::runtime_error("pty: read");
  if (room > 0) poll(nullptr, 0, kHandOverMs);
}

void PtyProgram::hang_up() {
  close(std::exchange(out_, -1));
  in_ = -1;
}

bool PtyProgram::terminal_is_cooked() const {
  termios settings{};
  if (tcgetattr(terminal_, &settings) != 0) return false;
  constexpr tcflag_t kCooked = ICANON | ECHO | ISIG;
  return (settings.c_lflag & kCooked) == kCooked;
}

}  // namespace confab::app
