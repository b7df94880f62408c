// SPDX-License-Identifier: MIT
#include "app/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "app/error.h"
#include "ui/terminal/signals.h"

extern char** environ;

namespace confab::app {
namespace {

constexpr int kSignalled = 128;
constexpr std::chrono::milliseconds kLook{10};  // how often to check a program that is waited for

// How to start a program; frees itself.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

pid_t spawn(std::vector<std::string> words, const SpawnSettings& settings) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = -1;
  const int fault = posix_spawnp(&process, pointers[0], &settings.files, &settings.attributes,
                                 pointers.data(), environ);
  if (fault != 0)
    throw UserError(fmt::format("{}: cannot be started: {}", words[0], std::strerror(fault)));
  return process;
}

int end_of(int status) {
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

// Ignores the keys whose signals the terminal sends to its whole foreground. As with system(3),
// they are meant for the other program; this one would stop or end unnoticed.
class IgnoreKeys {
 public:
  IgnoreKeys() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    for (std::size_t i = 0; i < kKeys.size(); ++i) sigaction(kKeys[i], &ignore, &former_[i]);
  }
  ~IgnoreKeys() {
    for (std::size_t i = 0; i < kKeys.size(); ++i) sigaction(kKeys[i], &former_[i], nullptr);
  }
  IgnoreKeys(const IgnoreKeys&) = delete;
  IgnoreKeys& operator=(const IgnoreKeys&) = delete;

 private:
  static constexpr std::array kKeys = {SIGINT, SIGQUIT, SIGTSTP};
  std::array<struct sigaction, kKeys.size()> former_{};
};

// A pipe from another program to this one.
class Pipe {
 public:
  Pipe() {
    if (pipe(fds_.data()) != 0)
      throw UserError(fmt::format("no pipe can be made: {}", std::strerror(errno)));
    for (const int fd : fds_) fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  ~Pipe() {
    close_in();
    close_out();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int in() const noexcept { return fds_[1]; }
  int out() const noexcept { return fds_[0]; }
  bool is_open() const noexcept { return fds_[0] >= 0; }
  void close_in() noexcept { close(fds_[1]); }
  void close_out() noexcept { close(fds_[0]); }
  // Reads what is there, and closes the pipe at its end.
  void read_into(std::string& text) {
    std::array<char, 65536> bytes;
    const ssize_t n = ::read(fds_[0], bytes.data(), bytes.size());
    if (n > 0) text.append(bytes.data(), static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) close_out();
  }

 private:
  static void close(int& fd) noexcept {
    if (fd >= 0) ::close(std::exchange(fd, -1));
  }

  std::array<int, 2> fds_{-1, -1};
};

}  // namespace

Process::Process(const std::vector<std::string>& words, const ProcessEnds& ends) {
  SpawnSettings settings;
  posix_spawn_file_actions_adddup2(&settings.files, ends.input, STDIN_FILENO);
  const auto lead = [&settings](int to, int fd) {
    if (to >= 0)
      posix_spawn_file_actions_adddup2(&settings.files, to, fd);
    else
      posix_spawn_file_actions_addopen(&settings.files, fd, "/dev/null", O_WRONLY, 0);
  };
  lead(ends.output, STDOUT_FILENO);
  lead(ends.errors, STDERR_FILENO);
  process_ = spawn(words, settings);
}

Process::~Process() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> Process::wait(std::chrono::milliseconds limit) {
  for (auto left = limit;; left -= kLook) {
    int status = 0;
    const pid_t ended = waitpid(process_, &status, WNOHANG);
    if (ended == process_) {
      process_ = -1;
      return end_of(status);
    }
    if (left <= kLook) return std::nullopt;
    poll(nullptr, 0, static_cast<int>(kLook.count()));
  }
}

Captured capture(const std::vector<std::string>& words, int input, const CaptureLimits& limits) {
  constexpr std::size_t kMaxErrorBytes = 4096;
  constexpr std::chrono::milliseconds kStopLook{50};
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + limits.time;
  Pipe output, errors;
  Process process(words, {input, output.in(), errors.in()});
  output.close_in();
  errors.close_in();
  Captured captured;
  while (output.is_open() || errors.is_open()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd fds[] = {{output.out(), POLLIN, 0}, {errors.out(), POLLIN, 0}};
    const auto wait = limits.stop.stop_possible() ? std::min(left, kStopLook) : left;
    const int n = left.count() > 0 ? poll(fds, 2, static_cast<int>(wait.count())) : 0;
    if (limits.stop.stop_requested()) captured.end = Captured::End::stopped;
    if (n == 0 && wait == left) captured.end = Captured::End::out_of_time;
    if (captured.end != Captured::End::ended) return captured;
    if (fds[0].revents != 0) output.read_into(captured.output);
    if (fds[1].revents != 0) errors.read_into(captured.errors);
    captured.errors.resize(std::min(captured.errors.size(), kMaxErrorBytes));
    if (captured.output.size() > limits.output_bytes) captured.end = Captured::End::too_much;
    if (captured.end == Captured::End::too_much) return captured;
  }
  std::optional<int> status;
  do {
    status = process.wait(kStopLook);
  } while (!status && Clock::now() < deadline && !limits.stop.stop_requested());
  if (!status)
    captured.end =
        limits.stop.stop_requested() ? Captured::End::stopped : Captured::End::out_of_time;
  captured.status = status.value_or(0);
  return captured;
}

int run_in_foreground(const std::vector<std::string>& words) {
  const IgnoreKeys ignore;
  const pid_t process = spawn(words, SpawnSettings());
  for (;;) {
    int status = 0;
    if (waitpid(process, &status, WUNTRACED) < 0) {
      if (errno == EINTR) continue;
      return 0;  // it has ended, but its status is unknown because our parent set SIGCHLD to be
                 // ignored
    }
    if (!WIFSTOPPED(status)) return end_of(status);
    // When the shell resumes us, it resumes both in the foreground or both in the background.
    ui::Signals::stop_process();
    kill(process, SIGCONT);
  }
}

}  // namespace confab::app
