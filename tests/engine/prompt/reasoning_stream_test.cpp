// SPDX-License-Identifier: MIT
#include "engine/prompt/reasoning_stream.h"

#include "tests/engine/prompt/reasoning_signs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace confab::engine {
namespace {

struct Parts {
  std::string reasoning;
  std::string answer;
  bool operator==(const Parts&) const = default;
};
void PrintTo(const Parts& parts, std::ostream* out) {
  *out << "reasoning '" << parts.reasoning << "', answer '" << parts.answer << "'";
}

Parts split(const ReasoningFormat* format, bool is_open, std::string_view said, std::size_t n) {
  ReasoningStream stream(format, is_open);
  Parts parts;
  for (std::size_t i = 0; i < said.size(); i += n) {
    stream.push(said.substr(i, n), parts.reasoning, parts.answer);
  }
  stream.finish(parts.reasoning, parts.answer);
  return parts;
}

// The same parts however the bytes are cut.
void expect_parts(std::string_view sign, bool is_open, std::string_view said, const Parts& want) {
  const ReasoningFormat* format = sign.empty() ? nullptr : find_reasoning_format(sign);
  for (std::size_t n = 1; n <= said.size(); ++n) {
    EXPECT_EQ(split(format, is_open, said, n), want) << said << " in pieces of " << n;
  }
}

TEST(ReasoningStreamTest, EveryFamilysMarkers) {
  for (const auto& [family, sign] : kReasoningSigns) {
    const ReasoningFormat& format = *find_reasoning_format(sign);
    std::string open, answer;
    for (const PartMarker& marker : format.markers) {
      if (marker.begins == PartMarker::Begins::reasoning) open = marker.text;
      if (marker.begins == PartMarker::Begins::answer && answer.empty()) answer = marker.text;
    }
    const std::string said =
        open + "\nBecause: a < b.\n\nSo.\n" + std::string(format.close) + answer + "Yes.\n";
    expect_parts(sign, false, said, {"Because: a < b.\n\nSo.", "Yes.\n"});
    const std::string rest = "Because." + std::string(format.close) + answer + "\n\nYes";
    const std::string start = answer.empty() ? "" : "\n\n";
    expect_parts(sign, true, rest, {"Because.", start + "Yes"});
  }
}

TEST(ReasoningStreamTest, Harmony) {
  constexpr std::string_view kSign = "<|channel|>analysis";
  expect_parts(kSign, false,
               "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final"
               "<|message|>Yes <|end|>",
               {"Hm.", "Yes <|end|>"});
  expect_parts(kSign, false, "<|channel|>final<|message|>Yes", {"", "Yes"});
}

TEST(ReasoningStreamTest, WithoutReasoningAllIsAnswer) {
  expect_parts("", false, " <think>a</think> b", {"", " <think>a</think> b"});
  expect_parts("<think>", false, "  Yes.\n", {"", "  Yes.\n"});
  expect_parts("<think>", false, "<thing>", {"", "<thing>"});
  expect_parts("<think>", false, " \n", {"", " \n"});
  expect_parts("<think>", false, "", {"", ""});
}

TEST(ReasoningStreamTest, AMarkerInsideTheAnswerIsText) {
  expect_parts("<think>", false, "Use <think>x</think>.", {"", "Use <think>x</think>."});
  expect_parts("<think>", true, "a</think>b <think>c</think>", {"a", "b <think>c</think>"});
}

TEST(ReasoningStreamTest, UnfinishedSpans) {
  expect_parts("<think>", false, "<think>\nI wonder </thin", {"I wonder </thin", ""});
  expect_parts("<think>", false, "<thin", {"", "<thin"});
  expect_parts("<think>", true, "</think>\n\n", {"", ""});
}

TEST(ReasoningStreamTest, EmptyReasoningLeavesNoTrace) {
  expect_parts("<think>", false, "<think>\n\n</think>\n\nYes", {"", "Yes"});
}

TEST(ReasoningStreamTest, GivesOutWhatIsCertainAtOnce) {
  ReasoningStream stream(find_reasoning_format("<think>"), false);
  Parts parts;
  stream.push("<think>one two", parts.reasoning, parts.answer);
  EXPECT_EQ(parts.reasoning, "one two");
  EXPECT_FALSE(stream.in_answer());
  stream.push("</think>\n\nY", parts.reasoning, parts.answer);
  EXPECT_EQ(parts, (Parts{"one two", "Y"}));
  EXPECT_TRUE(stream.in_answer());
}

TEST(ReasoningStreamTest, KnowsWhetherTheReasoningIsOpenAndMayBeClosing) {
  ReasoningStream stream(find_reasoning_format("<think>"), false);
  Parts parts;
  EXPECT_FALSE(stream.in_reasoning());
  stream.push("<think>one \n", parts.reasoning, parts.answer);
  EXPECT_TRUE(stream.in_reasoning());
  EXPECT_FALSE(stream.may_be_closing());
  stream.push("</th", parts.reasoning, parts.answer);
  EXPECT_TRUE(stream.may_be_closing());
  stream.push("ree", parts.reasoning, parts.answer);
  EXPECT_FALSE(stream.may_be_closing());
  stream.push("</think>", parts.reasoning, parts.answer);
  EXPECT_FALSE(stream.in_reasoning());
  EXPECT_FALSE(stream.may_be_closing());
}

}  // namespace
}  // namespace confab::engine
