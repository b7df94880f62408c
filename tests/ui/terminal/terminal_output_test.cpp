// SPDX-License-Identifier: MIT
// On pipes that do not wait, which fill up and go away as terminals do. That a terminal is opened
// once more, and what it has not read is dropped, is seen in terminal_test.cpp and in
// tests/app/screen/terminal_storm_test.cpp.
#include "ui/terminal/terminal_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <thread>

namespace confab::ui {
namespace {

// More than a pipe holds.
std::string much() {
  std::string bytes(1 << 20, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  return bytes;
}

class TerminalOutputTest : public testing::Test {
 protected:
  TerminalOutputTest() {
    EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0);
    EXPECT_EQ(fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
  }
  ~TerminalOutputTest() override {
    close_reader();
    close(ends_[1]);
  }
  int writer() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }
  // Appends what is read at once; waits for something to read.
  void read_some(std::string& bytes) const {
    std::array<char, 65536> buffer;
    const ssize_t n = read(ends_[0], buffer.data(), buffer.size());
    if (n > 0) bytes.append(buffer.data(), static_cast<std::size_t>(n));
  }

 private:
  std::array<int, 2> ends_{};
};

TEST_F(TerminalOutputTest, DoesNotWaitForASlowReader) {
  TerminalOutput output(writer());
  output.send(much());
  output.send("end");
  EXPECT_TRUE(output.pending());
  std::string bytes;
  while (output.pending()) {
    read_some(bytes);
    output.flush();
  }
  while (bytes.size() < much().size() + 3) read_some(bytes);
  EXPECT_TRUE(bytes == much() + "end");
}

TEST_F(TerminalOutputTest, DrainingWaitsForTheReader) {
  TerminalOutput output(writer());
  output.send(much());
  ASSERT_TRUE(output.pending());
  std::string bytes;
  std::thread reader([&] {
    while (bytes.size() < much().size()) read_some(bytes);
  });
  EXPECT_TRUE(output.drain(std::chrono::seconds(20)));
  EXPECT_FALSE(output.pending());
  output.send(much());  // whatever came: the reader ends
  reader.join();
  EXPECT_EQ(bytes.compare(0, much().size(), much()), 0);
}

TEST_F(TerminalOutputTest, WhatIsNeverReadIsDroppedInTheEnd) {
  TerminalOutput output(writer());
  output.send(much());
  EXPECT_FALSE(output.drain(std::chrono::milliseconds(1)));
  EXPECT_FALSE(output.pending());
  std::string bytes;
  for (pollfd more{writer(), POLLOUT, 0}; poll(&more, 1, 0) == 0;) read_some(bytes);
  output.send("done");
  EXPECT_FALSE(output.pending());
  while (!bytes.ends_with("done")) read_some(bytes);
  EXPECT_LT(bytes.size(), much().size());
}

TEST_F(TerminalOutputTest, ATerminalThatIsGoneTakesNothing) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;  // a terminal sends SIGHUP in its place
  sigaction(SIGPIPE, &ignore, &before);
  TerminalOutput output(writer());
  close_reader();
  output.send("unseen");
  EXPECT_FALSE(output.pending());
  sigaction(SIGPIPE, &before, nullptr);
}

}  // namespace
}  // namespace confab::ui
