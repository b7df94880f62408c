// SPDX-License-Identifier: MIT
#include "app/progress_line.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace confab::app {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

class Terminal {
 public:
  Terminal() {
    std::array<int, 2> fds{};
    if (openpty(&fds[0], &fds[1], nullptr, nullptr, nullptr) != 0) throw std::runtime_error("pty");
    master_ = fds[0];
    file_ = File(fdopen(fds[1], "w"), std::fclose);
  }
  ~Terminal() { close(master_); }
  std::FILE* file() const { return file_.get(); }
  std::string written() const {
    std::fputc('.', file_.get());
    std::fflush(file_.get());
    std::string out;
    std::array<char, 4096> buffer;
    while (out.empty() || out.back() != '.')
      out.append(buffer.data(), static_cast<std::size_t>(read(master_, buffer.data(), 4096)));
    out.pop_back();
    return out;
  }

 private:
  int master_ = -1;
  File file_{nullptr, std::fclose};
};

TEST(ProgressLineTest, IsWrittenOverAndGoesAway) {
  const Terminal terminal;
  {
    ProgressLine line(terminal.file());
    line.show(7, "1/2");
    line.show(7, "1/2");
    line.show(100, "2/2");
  }
  EXPECT_EQ(terminal.written(), "\r  7 %  1/2\x1b[K\r100 %  2/2\x1b[K\r\x1b[K");
}

TEST(ProgressLineTest, ThatWasNotShownLeavesNoTrace) {
  const Terminal terminal;
  { const ProgressLine line(terminal.file()); }
  EXPECT_EQ(terminal.written(), "");
}

TEST(ProgressLineTest, IsOneSafeLine) {
  const Terminal terminal;
  ProgressLine line(terminal.file());
  line.show(1, "\x1b[2J" + std::string(500, 'x'));
  const std::string written = terminal.written();
  EXPECT_EQ(written.find("\x1b[2J"), std::string::npos);
  EXPECT_LT(written.size(), 90U);
}

TEST(ProgressLineTest, OnlyATerminalGetsOne) {
  const File file(std::tmpfile(), std::fclose);
  {
    ProgressLine line(file.get());
    line.show(1, "x");
  }
  EXPECT_EQ(std::ftell(file.get()), 0);
}

TEST(ProgressLineTest, SignalsAskForAnExitStatus) {
  ui::Signals signals;
  EXPECT_EQ(status_asked_for(signals), 0);
  raise(SIGWINCH);
  EXPECT_EQ(status_asked_for(signals), 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    raise(signal);
    EXPECT_EQ(status_asked_for(signals), 128 + signal);
  }
  EXPECT_EQ(status_asked_for(signals), 0);
}

}  // namespace
}  // namespace confab::app
