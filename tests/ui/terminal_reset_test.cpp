// SPDX-License-Identifier: MIT
#include "ui/terminal_reset.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "tests/ui/pty.h"
#include "ui/error.h"

namespace confab::ui {
namespace {

constexpr std::string_view kBack = "<back>";

// Ends a process that has changed the modes of its terminal and armed the reset.
int end_by(const std::function<void()>& end) {
  TerminalReset reset(STDOUT_FILENO, kBack);
  termios raw{};
  tcgetattr(STDOUT_FILENO, &raw);
  cfmakeraw(&raw);
  tcsetattr(STDOUT_FILENO, TCSANOW, &raw);
  reset.arm();
  end();
  return 0;
}

void touch_protected_page() {
  void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile char*>(page) = 1;
}

struct Ending {
  const char* name;
  void (*end)();
  int signal;  // 0: an exit
};

class TerminalResetTest : public testing::TestWithParam<Ending> {};

TEST_P(TerminalResetTest, PutsTheTerminalBack) {
  Pty pty([] { return end_by(GetParam().end); });
  const int status = pty.wait();
  const std::string out = pty.take();
  const std::size_t at = out.find(kBack);
  ASSERT_NE(at, std::string::npos) << out;
  EXPECT_EQ(out.find(kBack, at + 1), std::string::npos) << "twice";
  EXPECT_TRUE(pty.modes_restored());
  if (GetParam().signal == 0) {
    EXPECT_TRUE(WIFEXITED(status));
  } else {
    // Under a sanitizer its report, and its exit status, come in place of the signal.
    EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == GetParam().signal
                                    : WEXITSTATUS(status) != 0)
        << status;
  }
}

INSTANTIATE_TEST_SUITE_P(Endings, TerminalResetTest,
                         testing::Values(Ending{"Fault", touch_protected_page, SIGSEGV},
                                         Ending{"SentSegv", [] { raise(SIGSEGV); }, SIGSEGV},
                                         Ending{"Bus", [] { raise(SIGBUS); }, SIGBUS},
                                         Ending{"Fpe", [] { raise(SIGFPE); }, SIGFPE},
                                         Ending{"Ill", [] { raise(SIGILL); }, SIGILL},
                                         Ending{"Abort", [] { std::abort(); }, SIGABRT},
                                         Ending{"Terminate", [] { std::terminate(); }, SIGABRT},
                                         Ending{"Exit", [] { std::exit(3); }, 0}),
                         [](const auto& test) { return test.param.name; });

void fail() {
  throw std::runtime_error("what went wrong");
}

TEST(TerminalResetMessageTest, AnUncaughtExceptionIsReportedAfterIt) {
  Pty pty([] { return end_by([]() noexcept { fail(); }); });
  pty.wait();
  const std::string out = pty.take();
  EXPECT_LT(out.find(kBack), out.find("what went wrong")) << out;
}

TEST(TerminalResetDisarmTest, DisarmedItLeavesTheTerminalAlone) {
  Pty pty([] {
    {
      TerminalReset reset(STDOUT_FILENO, kBack);
      reset.arm();
      reset.disarm();
    }
    raise(SIGABRT);
    return 0;
  });
  pty.wait();
  EXPECT_EQ(pty.take().find(kBack), std::string::npos);
}

TEST(TerminalResetDisarmTest, TheSequenceCanChangeWhileItIsArmed) {
  Pty pty([] {
    TerminalReset reset(STDOUT_FILENO, kBack);
    reset.arm();
    reset.set_sequence("<another>");
    try {
      reset.set_sequence(std::string(TerminalReset::kMaxBytes + 1, 'x'));
      return 1;
    } catch (const TerminalError&) {
    }
    raise(SIGABRT);
    return 0;
  });
  const int status = pty.wait();
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  const std::string out = pty.take();
  EXPECT_NE(out.find("<another>"), std::string::npos) << out;
  EXPECT_EQ(out.find(kBack), std::string::npos) << out;
}

TEST(TerminalResetDisarmTest, WhatIsNoTerminalIsRefused) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_THROW(TerminalReset(ends[1], kBack), TerminalError);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace confab::ui
