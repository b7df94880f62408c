// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_reset.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "ui/error.h"

namespace confab::ui {
namespace {

constexpr int kSignals = NSIG;  // signal numbers are below this
constexpr std::array kFaults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
// Signals that do not end a program by default, and the two that cannot be handled.
constexpr std::array kHarmless = {
#ifdef __APPLE__
    SIGINFO, SIGIO,
#endif
    SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, SIGKILL, SIGSTOP};

template <std::size_t n>
bool is_one_of(const std::array<int, n>& signals, int signal) noexcept {
  return std::find(signals.begin(), signals.end(), signal) != signals.end();
}
constexpr int kPatienceMs = 1000;  // how long to wait for a terminal that does not read
constexpr std::size_t kStackBytes = std::size_t{64} << 10;

// The data of the handlers. It is written only while disarmed.
struct State {
  int fd = -1;
  termios modes{};
  std::array<char, TerminalReset::kMaxBytes> sequence{};
  std::size_t n_sequence_bytes = 0;
  std::array<struct sigaction, kSignals> former{};
  std::array<bool, kSignals> handled{};
  std::terminate_handler former_terminate = nullptr;
  std::array<char, kStackBytes> stack{};
};
State state;
std::atomic<bool> armed{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// Async-signal-safe. Acts once after each arm().
void put_back() noexcept {
  if (!armed.exchange(false)) return;
  const int saved_errno = errno;
  const char* bytes = state.sequence.data();
  std::size_t left = state.n_sequence_bytes;
  while (left > 0) {
    const ssize_t n = write(state.fd, bytes, left);
    if (n < 0 && errno == EINTR) continue;
    pollfd wait{.fd = state.fd, .events = POLLOUT, .revents = 0};
    if (n < 0 && errno == EAGAIN && poll(&wait, 1, kPatienceMs) == 1) continue;
    if (n <= 0) break;
    bytes += n;
    left -= static_cast<std::size_t>(n);
  }
  tcsetattr(state.fd, TCSANOW, &state.modes);
  errno = saved_errno;
}

void on_end(int signal, siginfo_t* info, void* /*context*/) {
  put_back();
  sigaction(signal, &state.former[static_cast<std::size_t>(signal)], nullptr);
  // A fault recurs when this returns, and then takes the former action with its original address. A
  // signal that somebody sent does not recur, and neither does one that the kernel sends (a limit,
  // a timer, a trap), so it is raised again.
  if (info->si_code <= 0 || !is_one_of(kFaults, signal)) raise(signal);
}

// A crash always ends the program. Another signal does only if nothing else handles it.
bool ends_program(int signal) noexcept {
  if (signal == SIGABRT || is_one_of(kFaults, signal)) return true;
  struct sigaction now {};
  return !is_one_of(kHarmless, signal) && sigaction(signal, nullptr, &now) == 0 &&
         (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL;
}

void handle_ends() noexcept {
  struct sigaction action {};
  action.sa_sigaction = on_end;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int signal = 1; signal < kSignals; ++signal) {
    const auto at = static_cast<std::size_t>(signal);
    state.handled[at] = ends_program(signal) && sigaction(signal, &action, &state.former[at]) == 0;
  }
}

void on_terminate() {
  put_back();
  state.former_terminate();
}

void use_signal_stack() {
  stack_t current{};
  sigaltstack(nullptr, &current);
  if (!(current.ss_flags & SS_DISABLE)) return;  // a sanitizer has set one already
  stack_t ours{};
  ours.ss_sp = state.stack.data();
  ours.ss_size = state.stack.size();
  sigaltstack(&ours, nullptr);
}

}  // namespace

TerminalReset::TerminalReset(int fd, std::string_view sequence) {
  assert(state.fd == -1 && "only one TerminalReset may exist");
  if (tcgetattr(fd, &state.modes) != 0)
    throw TerminalError(std::string("cannot read the modes of the terminal: ") +
                        std::strerror(errno));
  set_sequence(sequence);
  state.fd = fd;
  use_signal_stack();
  handle_ends();
  state.former_terminate = std::set_terminate(on_terminate);
  [[maybe_unused]] static const int registered = std::atexit(put_back);
}

TerminalReset::~TerminalReset() {
  disarm();
  std::set_terminate(state.former_terminate);
  for (int signal = 1; signal < kSignals; ++signal)
    if (const auto at = static_cast<std::size_t>(signal); state.handled[at])
      sigaction(signal, &state.former[at], nullptr);
  state.fd = -1;
}

void TerminalReset::set_sequence(std::string_view sequence) {
  if (sequence.size() > kMaxBytes)
    throw TerminalError("the terminal description has sequences of " +
                        std::to_string(sequence.size()) + " bytes to reset it, at most " +
                        std::to_string(kMaxBytes) + " are expected");
  const bool was_armed = armed.exchange(false);
  std::copy(sequence.begin(), sequence.end(), state.sequence.begin());
  state.n_sequence_bytes = sequence.size();
  armed = was_armed;
}

void TerminalReset::arm() noexcept {
  armed = true;
}

void TerminalReset::disarm() noexcept {
  armed = false;
}

void TerminalReset::restore_modes() const noexcept {
  tcsetattr(state.fd, TCSADRAIN, &state.modes);
}

}  // namespace confab::ui
