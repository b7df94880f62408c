// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_reset.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "tests/ui/terminal/pty.h"
#include "ui/error.h"

namespace confab::ui {
namespace {

constexpr std::string_view kBack = "<back>";
constexpr std::string_view kAnother = "<another>";

void touch_protected_page() {
  void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile char*>(page) = 1;
}

void fail() {
  throw std::runtime_error("what went wrong");
}

using Reset = std::optional<TerminalReset>;

void end_after_another_sequence(Reset& reset) {
  reset->set_sequence(kAnother);
  try {
    reset->set_sequence(std::string(TerminalReset::kMaxBytes + 1, 'x'));
  } catch (const TerminalError&) {
    raise(SIGABRT);
  }
}

struct Ending {
  const char* name;
  void (*end)(Reset& reset);
  int signal;                           // 0: an exit
  std::string_view sequence = kBack;    // that puts the terminal back; empty: nobody does
  std::string_view said_after_it = {};  // to the person
};

const Ending kEndings[] = {
    {"a fault", [](Reset&) { touch_protected_page(); }, SIGSEGV},
    {"SIGSEGV that was sent", [](Reset&) { raise(SIGSEGV); }, SIGSEGV},
    {"SIGBUS", [](Reset&) { raise(SIGBUS); }, SIGBUS},
    {"SIGFPE", [](Reset&) { raise(SIGFPE); }, SIGFPE},
    {"SIGILL", [](Reset&) { raise(SIGILL); }, SIGILL},
    {"SIGQUIT", [](Reset&) { raise(SIGQUIT); }, SIGQUIT},
    {"SIGQUIT of another process", [](Reset&) { kill(getpid(), SIGQUIT); }, SIGQUIT},
    {"SIGUSR1", [](Reset&) { raise(SIGUSR1); }, SIGUSR1},
    {"SIGUSR2", [](Reset&) { raise(SIGUSR2); }, SIGUSR2},
    {"SIGXCPU", [](Reset&) { raise(SIGXCPU); }, SIGXCPU},
    {"SIGXFSZ", [](Reset&) { raise(SIGXFSZ); }, SIGXFSZ},
    {"SIGVTALRM", [](Reset&) { raise(SIGVTALRM); }, SIGVTALRM},
    {"SIGPROF", [](Reset&) { raise(SIGPROF); }, SIGPROF},
    {"SIGSYS", [](Reset&) { raise(SIGSYS); }, SIGSYS},
    {"SIGTRAP", [](Reset&) { raise(SIGTRAP); }, SIGTRAP},
    {"a timer",
     [](Reset&) {
       alarm(1);
       pause();
     },
     SIGALRM},
    {"abort()", [](Reset&) { std::abort(); }, SIGABRT},
    {"terminate()", [](Reset&) { std::terminate(); }, SIGABRT},
    {"an uncaught exception", [](Reset&) noexcept { fail(); }, SIGABRT, kBack, "what went wrong"},
    {"exit()", [](Reset&) { std::exit(3); }, 0},
    {"after another sequence", end_after_another_sequence, SIGABRT, kAnother},
    {"disarmed",
     [](Reset& reset) {
       reset->disarm();
       raise(SIGABRT);
     },
     SIGABRT, ""},
    {"destroyed",
     [](Reset& reset) {
       reset.reset();
       raise(SIGABRT);
     },
     SIGABRT, ""},
};

// Ends a process that has armed the reset and changed the modes of its terminal.
int end_by(void (*end)(Reset&)) {
  Reset reset(std::in_place, STDOUT_FILENO, kBack);
  termios raw{};
  tcgetattr(STDOUT_FILENO, &raw);
  cfmakeraw(&raw);
  tcsetattr(STDOUT_FILENO, TCSANOW, &raw);
  reset->arm();
  end(reset);
  return 0;
}

int count(std::string_view text, std::string_view part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++n;
  return n;
}

TEST(TerminalResetTerminalTest, PutsTheTerminalBackOnceAtEveryEnd) {
  for (const Ending& ending : kEndings) {
    SCOPED_TRACE(ending.name);
    Pty pty([&] { return end_by(ending.end); });
    const int status = pty.wait();
    const std::string out = pty.take();
    for (const std::string_view sequence : {kBack, kAnother})
      EXPECT_EQ(count(out, sequence), sequence == ending.sequence ? 1 : 0) << out;
    EXPECT_EQ(pty.modes_restored(), !ending.sequence.empty());
    if (!ending.said_after_it.empty()) {
      EXPECT_LT(out.find(ending.sequence), out.find(ending.said_after_it)) << out;
      EXPECT_NE(out.find(ending.said_after_it), out.npos) << out;
    }
    if (ending.signal == 0) {
      EXPECT_TRUE(WIFEXITED(status));
    } else {
      // Under a sanitizer its report, and its exit status, come in place of the signal.
      EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == ending.signal
                                      : WEXITSTATUS(status) != 0)
          << status;
    }
  }
}

TEST(TerminalResetTerminalTest, ASignalThatWasIgnoredStaysIgnored) {
  Pty pty([] {
    signal(SIGUSR1, SIG_IGN);
    return end_by([](Reset&) {
      raise(SIGUSR1);
      Pty::write_all(STDOUT_FILENO, "alive");
    });
  });
  EXPECT_TRUE(WIFEXITED(pty.wait()));
  EXPECT_NE(pty.take().find("alive"), std::string::npos);
}

TEST(TerminalResetTest, WhatIsNoTerminalIsRefused) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_THROW(TerminalReset(ends[1], kBack), TerminalError);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace confab::ui
