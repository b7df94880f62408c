// SPDX-License-Identifier: MIT
#include "app/line/answer_output.h"

#include <gtest/gtest.h>

#include "tests/app/line/written.h"

namespace confab::app {
namespace {

TEST(CodeOutputTest, TheAnswerIsStoppedBehindTheBlock) {
  Written written;
  CodeOutput output(written.out, written.side, "");
  EXPECT_EQ(output.text(0, "Here:\n```\na\n"), Wants::more);
  EXPECT_EQ(output.text(0, "```\nThis"), Wants::no_more);
  EXPECT_EQ(output.finish(ExitStatus::success), ExitStatus::success);
  EXPECT_EQ(written.answer(), "a\n");
  EXPECT_EQ(written.lines(), "");
}

TEST(CodeOutputTest, WithoutABlockTheAnswerIsOnStandardError) {
  Written written;
  CodeOutput output(written.out, written.side, "python");
  output.text(0, "I \x1b[1mcannot.\n");
  EXPECT_EQ(output.finish(ExitStatus::success), ExitStatus::no_valid_answer);
  EXPECT_EQ(written.answer(), "");
  EXPECT_EQ(written.lines(),
            "I \u241B[1mcannot.\nconfab: there is no python code block in this answer\n");
}

TEST(CodeOutputTest, WhatWasCutOffInTheBlockIsTold) {
  Written written;
  CodeOutput output(written.out, written.side, "");
  output.text(0, "```\na\nb");
  EXPECT_EQ(output.finish(ExitStatus::cut_off), ExitStatus::cut_off);
  EXPECT_EQ(written.answer(), "a\nb\n");
}

TEST(CodeOutputTest, AFailureStaysOne) {
  Written written;
  CodeOutput output(written.out, written.side, "");
  EXPECT_EQ(output.finish(ExitStatus::failed), ExitStatus::failed);
  EXPECT_EQ(written.lines(), "");
}

}  // namespace
}  // namespace confab::app
