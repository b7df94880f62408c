// SPDX-License-Identifier: MIT
#include "app/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/error.h"
#include "ui/terminal/signals.h"

namespace confab::app {
namespace {

using std::chrono::milliseconds;

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

std::unique_ptr<std::FILE, CloseFile> file_with(const char* text) {
  std::unique_ptr<std::FILE, CloseFile> file(std::tmpfile());
  std::fputs(text, file.get());
  std::rewind(file.get());
  return file;
}

TEST(ProcessTest, GetsItsInputAndTellsItsStatus) {
  const auto input = file_with("hello\n");
  Process process({"sh", "-c", "read word; test \"$word\" = hello && exit 7"},
                  {fileno(input.get())});
  EXPECT_EQ(process.wait(milliseconds(60'000)), 7);
}

TEST(ProcessTest, OneThatDoesNotEndIsNotWaitedForAndNotLeft) {
  {
    const auto input = file_with("");
    Process process({"sleep", "600"}, {fileno(input.get())});
    EXPECT_FALSE(process.wait(milliseconds(1)));
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "there is no child any more";
}

TEST(ProcessTest, OneThatIsNotThereIsToldInOneLine) {
  try {
    Process({"no-such-program-anywhere"}, {STDIN_FILENO});
    FAIL();
  } catch (const UserError& fault) {
    EXPECT_STREQ(fault.what(),
                 "no-such-program-anywhere: cannot be started: No such file or directory");
  }
}

TEST(ProcessTest, WhatAProgramWritesIsCaptured) {
  const auto input = file_with("in");
  const CaptureLimits limits{1000, milliseconds(60'000)};
  const Captured said =
      capture({"sh", "-c", "cat; echo fault >&2; exit 3"}, fileno(input.get()), limits);
  EXPECT_EQ(said.end, Captured::End::ended);
  EXPECT_EQ(said.status, 3);
  EXPECT_EQ(said.output, "in");
  EXPECT_EQ(said.errors, "fault\n");
}

TEST(ProcessTest, AProgramThatGoesBeyondItsLimitsIsEnded) {
  const auto input = file_with("");
  const int in = fileno(input.get());
  EXPECT_EQ(capture({"yes"}, in, {1000, milliseconds(60'000)}).end, Captured::End::too_much);
  EXPECT_EQ(capture({"sleep", "600"}, in, {1000, milliseconds(1)}).end, Captured::End::out_of_time);
  EXPECT_EQ(
      capture({"sh", "-c", "exec >&- 2>&-; exec sleep 600"}, in, {1000, milliseconds(100)}).end,
      Captured::End::out_of_time);
  std::stop_source stopped;
  stopped.request_stop();
  for (const char* command : {"exec sleep 600", "exec >&- 2>&-; exec sleep 600"})
    EXPECT_EQ(
        capture({"sh", "-c", command}, in, {1000, milliseconds(60'000), stopped.get_token()}).end,
        Captured::End::stopped);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "there is no child any more";
  const Captured loud =
      capture({"sh", "-c", "head -c 100000 /dev/zero >&2"}, in, {1000, milliseconds(60'000)});
  EXPECT_EQ(loud.end, Captured::End::ended);
  EXPECT_EQ(loud.errors.size(), 4096U);
}

TEST(ProcessTest, SignalsAreAsANewProgramExpectsThem) {
  const auto before = signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -PIPE $$"}), 128 + SIGPIPE);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -INT $$"}), 128 + SIGINT);
  signal(SIGPIPE, before);
}

// A job as its shell sees it: Ctrl+Z in the other program stops all of it, and all of it goes on.
TEST(ProcessTest, ThisProgramStopsWithTheOneInTheForeground) {
  const pid_t job = fork();
  if (job == 0) {
    setpgid(0, 0);
    alarm(60);
    ui::Signals signals;
    const int status = run_in_foreground({"sh", "-c", "kill -TSTP 0; exit 3"});
    _exit(status == 3 && std::ranges::count(signals.take(), SIGTSTP) == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(job, &status, WUNTRACED), job);
  ASSERT_TRUE(WIFSTOPPED(status)) << status;
  kill(-job, SIGCONT);
  ASSERT_EQ(waitpid(job, &status, 0), job);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace confab::app
