// SPDX-License-Identifier: MIT
#include "app/line/answer_output.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "tests/app/line/written.h"

namespace confab::app {
namespace {

TEST(TextOutputTest, OneAnswerIsItsTextAndALineEnd) {
  Written written;
  TextOutput output(written.out);
  output.begin("model", 1);
  output.reasoning(0, "hm");
  EXPECT_EQ(output.text(0, "Hello, "), Wants::more);
  EXPECT_EQ(output.text(0, "you."), Wants::more);
  output.ended(0, {});
  EXPECT_EQ(output.finish(ExitStatus::cut_off), ExitStatus::cut_off);
  EXPECT_EQ(written.answer(), "Hello, you.\n");
}

TEST(TextOutputTest, SeveralHaveALineWithTheirNumber) {
  Written written;
  TextOutput output(written.out);
  output.begin("model", 3);
  output.text(0, "one");
  output.ended(0, {});
  output.ended(1, {});
  output.text(2, "three\n");
  output.ended(2, {});
  output.finish(ExitStatus::success);
  EXPECT_EQ(written.answer(),
            "=== answer 1 of 3 ===\none\n=== answer 2 of 3 ===\n=== answer 3 of 3 ===\nthree\n");
}

TEST(TextOutputTest, AReaderThatIsGoneWantsNoMore) {
  const auto before = signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  ui::PlainWriter out(ends[1], false);
  TextOutput output(out);
  EXPECT_EQ(output.text(0, "Hello"), Wants::no_more);
  EXPECT_EQ(output.finish(ExitStatus::success), ExitStatus::success);
  close(ends[1]);
  signal(SIGPIPE, before);
}

}  // namespace
}  // namespace confab::app
