// SPDX-License-Identifier: MIT
#include "ui/terminal/plain_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string>

#include "ui/error.h"

namespace confab::ui {
namespace {

std::string read_all_there_is(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, 0) != 1) return text;
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~Pipe() {
    close_reader();
    close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

const std::string kHostile =
    "a\x1b[2Jb\xc2\x9b"
    "c\r\nd\xff";

TEST(PlainWriterTest, APipeGetsTheBytesAsTheyAre) {
  const Pipe pipe;
  PlainWriter writer(pipe.writer());
  EXPECT_FALSE(writer.is_terminal());
  for (const char c : kHostile) EXPECT_TRUE(writer.write({&c, 1}));
  EXPECT_EQ(read_all_there_is(pipe.reader()), kHostile);
  EXPECT_TRUE(writer.finish());
  EXPECT_EQ(read_all_there_is(pipe.reader()), "\n");
}

TEST(PlainWriterTest, ATerminalGetsSafeTextAtOnceHoweverItIsCut) {
  const Pipe pipe;
  PlainWriter writer(pipe.writer(), true);
  EXPECT_TRUE(writer.is_terminal());
  writer.write("x");
  EXPECT_EQ(read_all_there_is(pipe.reader()), "x");
  for (const char c : kHostile) writer.write({&c, 1});
  writer.finish();
  EXPECT_EQ(read_all_there_is(pipe.reader()), sanitize(kHostile) + "\n");
}

TEST(PlainWriterTest, AFinishedLineGetsNoSecondBreak) {
  const Pipe pipe;
  PlainWriter writer(pipe.writer());
  writer.write("line\n");
  writer.finish();
  writer.write("more");
  writer.finish(false);
  EXPECT_EQ(read_all_there_is(pipe.reader()), "line\nmore");
}

TEST(PlainWriterTest, AReaderThatIsGoneIsAnOrdinaryEnd) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  Pipe pipe;
  PlainWriter writer(pipe.writer());
  pipe.close_reader();
  EXPECT_FALSE(writer.write("text"));
  sigaction(SIGPIPE, &before, nullptr);
}

TEST(PlainWriterTest, AFullDiskIsAnError) {
  const int fd = open("/dev/full", O_WRONLY);
  if (fd < 0) GTEST_SKIP() << "no /dev/full here";
  PlainWriter writer(fd);
  EXPECT_THROW(writer.write("text"), TerminalError);
  close(fd);
}

}  // namespace
}  // namespace confab::ui
