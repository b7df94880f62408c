// SPDX-License-Identifier: MIT
#include "app/line/given_question.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <utility>
#include <vector>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StandardInputTest : public testing::Test {
 protected:
  StandardInputTest() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~StandardInputTest() override {
    for (const int end : ends_)
      if (end >= 0) close(end);
  }
  void put(std::string_view text) {
    EXPECT_EQ(write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void end() { close(std::exchange(ends_[1], -1)); }
  // Somebody who says that he waits is answered with the end.
  std::string read(InputWish wish, const std::string& late = {}) {
    const auto tell = [&](std::string_view line) {
      told_.emplace_back(line);
      if (wish == InputWish::if_there && late.empty()) return;
      put(late);
      end();
    };
    const std::chrono::milliseconds soon{1};
    return read_input(ends_[0], wish, tell, {.grace = soon, .silent = soon});
  }

  std::array<int, 2> ends_{-1, -1};
  std::vector<std::string> told_;
};

TEST_F(StandardInputTest, APipeIsReadToItsEnd) {
  for (const InputWish wish : {InputWish::if_there, InputWish::awaited, InputWish::asked_for}) {
    std::array<int, 2> more{};
    ASSERT_EQ(pipe(more.data()), 0);
    std::swap(ends_, more);
    put("one\ntwo");
    end();
    EXPECT_EQ(read(wish), "one\ntwo");
    std::swap(ends_, more);
    close(more[0]);
  }
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(StandardInputTest, AWriterThatIsSlowIsWaitedForAndThatIsTold) {
  put("early, ");
  EXPECT_EQ(read(InputWish::awaited, "late"), "early, late");
  EXPECT_THAT(told_, ElementsAre(HasSubstr("--no-stdin ignores it")));
}

TEST_F(StandardInputTest, APipeThatHasBegunIsReadToItsEndToo) {
  put("early, ");
  EXPECT_EQ(read(InputWish::if_there, "late"), "early, late");
}

TEST_F(StandardInputTest, APipeThatNobodyWritesToIsLeftAlone) {
  EXPECT_EQ(read(InputWish::if_there), "");
  EXPECT_THAT(told_, ElementsAre(HasSubstr("to wait for it, add - as a file")));
  put("x");
  char byte = 0;
  EXPECT_EQ(::read(ends_[0], &byte, 1), 1) << "and keeps what comes later";
}

TEST_F(StandardInputTest, WhatIsNotWantedIsNotTouched) {
  put("mine");
  EXPECT_EQ(read(InputWish::none), "");
  end();
  EXPECT_EQ(read(InputWish::awaited), "mine");
}

TEST_F(StandardInputTest, FilesAreReadAndDevicesOnlyWhenAskedFor) {
  const TempDir home;
  const int file = open(home.file("a.txt", "text").c_str(), O_RDONLY);
  const auto tell = [](std::string_view line) { FAIL() << line; };
  EXPECT_EQ(read_input(file, InputWish::if_there, tell), "text");
  EXPECT_EQ(read_input(file, InputWish::awaited, tell), "") << "it is at its end";
  close(file);
  const int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_RDONLY);
  EXPECT_EQ(read_input(zero, InputWish::awaited, tell), "");
  EXPECT_EQ(read_input(null, InputWish::asked_for, tell), "");
  for (const int fd : {zero, null}) close(fd);
  EXPECT_EQ(read_input(-1, InputWish::asked_for, tell), "") << "it is closed";
}

TEST_F(StandardInputTest, WhatIsTooLongIsNotReadForEver) {
  put("0123456789");
  try {
    read_input(ends_[0], InputWish::awaited, [](std::string_view) {}, {.max_bytes = 9});
    FAIL();
  } catch (const UserError& fault) {
    EXPECT_STREQ(fault.what(),
                 "standard input: more than 9 B, the most that can be attached; give a part of it");
  }
}

TEST_F(StandardInputTest, WhatCannotBeReadIsToldInOneLine) {
  const int folder = open("/", O_RDONLY);
  try {
    read_input(folder, InputWish::asked_for, [](std::string_view) {});
    FAIL();
  } catch (const UserError& fault) {
    EXPECT_STREQ(fault.what(), "standard input: cannot be read: Is a directory");
  }
  close(folder);
}

}  // namespace
}  // namespace confab::app
