// SPDX-License-Identifier: MIT
#include "app/line/answer_output.h"

#include <gtest/gtest.h>

#include "tests/app/line/written.h"

namespace confab::app {
namespace {

std::string written_as(OutputFormat format, const Expectation& expected = {}) {
  Written written;
  OnceOptions options;
  options.output = format;
  options.expected = expected;
  options.n_retries = 0;
  const auto output = make_output(options, written.out, written.side);
  output->begin("m", 1);
  output->text(0, "```\na\n```\n");
  output->ended(0, {});
  output->finish(ExitStatus::success);
  return written.answer();
}

TEST(AnswerOutputTest, EachFormatHasItsClass) {
  EXPECT_EQ(written_as(OutputFormat::text), "```\na\n```\n");
  EXPECT_EQ(written_as(OutputFormat::code), "a\n");
  EXPECT_TRUE(written_as(OutputFormat::json).starts_with("{\"model\":\"m\",\"answer\":\"```"));
  EXPECT_TRUE(written_as(OutputFormat::json_events).starts_with("{\"type\":\"begin\""));
}

TEST(AnswerOutputTest, WhereAFormIsExpectedItIsCheckedFirst) {
  EXPECT_EQ(written_as(OutputFormat::text, parse_expectation("code")), "```\na\n```\n");
  EXPECT_EQ(written_as(OutputFormat::code, parse_expectation("code")), "a\n");
  EXPECT_EQ(written_as(OutputFormat::text, parse_expectation("list")), "");
}

TEST(AnswerOutputTest, EveryEndHasAName) {
  EXPECT_EQ(name_of(AnswerEnd::finished), "stop");
  EXPECT_EQ(name_of(AnswerEnd::stopped), "interrupted");
  EXPECT_EQ(name_of(AnswerEnd::failed), "error");
  EXPECT_EQ(name_of(AnswerEnd::length), "length");
  EXPECT_EQ(name_of(AnswerEnd::context_full), "context_full");
}

}  // namespace
}  // namespace confab::app
