// SPDX-License-Identifier: MIT
#include "ui/terminal/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <string>

#include "ui/error.h"

namespace confab::ui {
namespace {

constexpr std::array kCaught = {SIGHUP, SIGINT, SIGTERM, SIGCONT, SIGTSTP, SIGWINCH};

// A handler can reach only globals. It sets the flag before it writes the byte, and take() reads
// the bytes before it clears the flags. So a signal in between is seen at once or wakes the loop
// again.
std::array<std::atomic<bool>, kCaught.size()> pending{};
std::array<struct sigaction, kCaught.size()> former{};
std::atomic<int> write_end{-1};
int read_end = -1;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void handle(int signal) {
  const int saved_errno = errno;
  const auto* at = std::find(kCaught.begin(), kCaught.end(), signal);
  pending[static_cast<std::size_t>(at - kCaught.begin())] = true;
  const char byte = 0;
  // If the pipe is full, it wakes the loop already.
  [[maybe_unused]] const ssize_t n = write(write_end, &byte, 1);
  errno = saved_errno;
}

void set_flags(int fd) {
  fcntl(fd, F_SETFL, O_NONBLOCK);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
}

}  // namespace

Signals::Signals() {
  assert(write_end == -1 && "only one Signals may exist");
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0)
    throw TerminalError(std::string("cannot make a pipe for signals: ") + std::strerror(errno));
  for (const int fd : ends) set_flags(fd);
  read_end = ends[0];
  write_end = ends[1];
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < kCaught.size(); ++i) {
    pending[i] = false;
    sigaction(kCaught[i], &action, &former[i]);
  }
}

Signals::~Signals() {
  for (std::size_t i = 0; i < kCaught.size(); ++i) sigaction(kCaught[i], &former[i], nullptr);
  close(write_end.exchange(-1));
  close(read_end);
  read_end = -1;
}

int Signals::fd() const noexcept {
  return read_end;
}

std::vector<int> Signals::take() noexcept {
  std::array<char, 64> bytes{};
  while (read(read_end, bytes.data(), bytes.size()) > 0) {
  }
  std::vector<int> signals;
  for (std::size_t i = 0; i < kCaught.size(); ++i)
    if (pending[i].exchange(false)) signals.push_back(kCaught[i]);
  std::sort(signals.begin(), signals.end());
  return signals;
}

void Signals::stop_process() noexcept {
  struct sigaction stop {};
  struct sigaction ours {};
  stop.sa_handler = SIG_DFL;
  sigemptyset(&stop.sa_mask);
  sigset_t only_stop;
  sigset_t mask;
  sigemptyset(&only_stop);
  sigaddset(&only_stop, SIGTSTP);
  sigaction(SIGTSTP, &stop, &ours);
  raise(SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &only_stop, &mask);  // the process stops here if SIGTSTP was blocked
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGTSTP, &ours, nullptr);
}

}  // namespace confab::ui
