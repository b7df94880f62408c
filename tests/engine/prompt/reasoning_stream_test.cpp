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

constexpr std::string_view kHarmony = "<|channel|>analysis";

TEST(ReasoningStreamTest, Harmony) {
  expect_parts(kHarmony, false,
               "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final"
               "<|message|>Yes <|end|>",
               {"Hm.", "Yes "});
  expect_parts(kHarmony, false, "<|channel|>final<|message|>Yes", {"", "Yes"});
}

TEST(ReasoningStreamTest, AHarmonyHeaderMayHaveRecipientsAndTypes) {
  for (const std::string header :
       {"<|channel|>final <|constrain|>json<|message|>",
        "<|channel|>final<|constrain|>json<|message|>", "<|channel|>final json<|message|>",
        "<|channel|>commentary to=functions.f code<|message|>",
        "<|channel|>commentary to=functions.f <|constrain|>json<|message|>",
        " to=functions.f<|channel|>commentary <|constrain|>json<|message|>",
        "<|start|>assistant to=functions.f<|channel|>commentary json<|message|>",
        "<|start|>assistant<|channel|>commentary to=user<|message|>", "<|message|>",
        "<|start|>assistant<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"}) {
    expect_parts(kHarmony, false, header + "{\"a\": 1}", {"", "{\"a\": 1}"});
    expect_parts(kHarmony, true, "Hm.<|end|>" + header + "{\"a\": 1}", {"Hm.", "{\"a\": 1}"});
  }
  expect_parts(kHarmony, false, "<|channel|>analysis to=python code<|message|>1 + 1",
               {"1 + 1", ""});
}

TEST(ReasoningStreamTest, MessagesOfHarmonyComeInAnyOrder) {
  const std::string start = "<|start|>assistant", analysis = "<|channel|>analysis<|message|>",
                    final = "<|channel|>final<|message|>",
                    commentary = "<|channel|>commentary<|message|>", end = "<|end|>";
  expect_parts(kHarmony, false,
               commentary + "Plan." + end + start + analysis + "Hm." + end + start + final + "Yes.",
               {"Hm.", "Plan.\n\nYes."});
  expect_parts(kHarmony, false,
               analysis + "a" + end + start + analysis + "b" + end + start + final + "Yes.",
               {"a\n\nb", "Yes."});
  expect_parts(kHarmony, false, analysis + "Hm." + end + "Yes.", {"Hm.", "Yes."});
  expect_parts(kHarmony, false, analysis + "Hm." + start + final + "Yes.", {"Hm.", "Yes."});
  expect_parts(kHarmony, false, analysis + "Hm." + final + "Yes.", {"Hm.", "Yes."});
  expect_parts(kHarmony, false, final + "Yes." + end + start + final + "No.", {"", "Yes.\n\nNo."});
  expect_parts(kHarmony, false, final + "Yes." + end, {"", "Yes."});
  expect_parts(kHarmony, false, final + "Yes." + end + start, {"", "Yes."});
  expect_parts(kHarmony, false, final + "Yes." + end + "<|start|>user<|message|>And then?",
               {"And then?", "Yes."});
}

TEST(ReasoningStreamTest, BrokenHeadersOfHarmonyLoseNoText) {
  expect_parts(kHarmony, false, "Yes.", {"", "Yes."});
  expect_parts(kHarmony, false, "to be", {"", "to be"});
  expect_parts(kHarmony, false, "<|channel|>final\n\n# Yes.", {"", "# Yes."});
  expect_parts(kHarmony, false, "<|channel|>final Yes", {"", "Yes"});
  expect_parts(kHarmony, false, "<|channel|>final", {"", ""});
  expect_parts(kHarmony, false, "<|start|>assistant", {"", ""});
  const std::string long_name(2000, 'x');
  expect_parts(kHarmony, false, "to=" + long_name.substr(0, 600),
               {"", "to=" + long_name.substr(0, 600)});
}

TEST(ReasoningStreamTest, MarkersOfHarmonyInProseAreText) {
  for (const std::string text :
       {"A message ends with `<|end|>`.", "It is `<|channel|>`, then a name.", "1 < 2 <| 3 <|end",
        "<|end|> is the end.", "Say <|constrain|> json."})
    expect_parts(kHarmony, false, "<|channel|>final<|message|>See: " + text, {"", "See: " + text});
}

TEST(ReasoningStreamTest, WhatTheTemplateOpenedMayBeOpenedAgain) {
  expect_parts("<think>", true, "<think>\nHm</think>\nYes.", {"Hm", "Yes."});
  expect_parts("<think>", false, "<think>\n<think>\nHm</think>Yes.", {"Hm", "Yes."});
  expect_parts("<think>", true, "<thin air>", {"<thin air>", ""});
}

TEST(ReasoningStreamTest, WhatIsClosedAgainIsNotText) {
  expect_parts("<think>", false, "<think>Hm</think>\n</think>\nYes.", {"Hm", "Yes."});
  expect_parts("<think>", true, "</think></think>Yes.", {"", "Yes."});
  expect_parts("<think>", false, "</think>\n\nYes.", {"", "Yes."});
}

TEST(ReasoningStreamTest, TextThatIsClosedButWasNotOpenedWasReasoning) {
  expect_parts("<think>", false, "Hm\n</think>\n\nYes.", {"Hm", "Yes."});
  expect_parts("<think>", false, "<think>a<think>b</think>c</think>d", {"a<think>bc", "d"});
  expect_parts("<think>", false, "Write `</think>` here.", {"", "Write `</think>` here."});
  ReasoningStream stream(find_reasoning_format("<think>"), false);
  Parts parts;
  stream.push("Hm", parts.reasoning, parts.answer);
  EXPECT_EQ(parts, (Parts{"", "Hm"})) << "told at once";
  EXPECT_FALSE(stream.took_back());
  stream.push(" so.</think>", parts.reasoning, parts.answer);
  EXPECT_TRUE(stream.took_back());
  EXPECT_EQ(parts, (Parts{"Hm so.", ""}));
  stream.push("Yes", parts.reasoning, parts.answer);
  EXPECT_FALSE(stream.took_back());
  EXPECT_EQ(parts, (Parts{"Hm so.", "Yes"}));
}

TEST(ReasoningStreamTest, AnAnswerThatIsKeptMayHaveAnyText) {
  for (const std::string_view sign : {std::string_view("<think>"), kHarmony}) {
    ReasoningStream stream(find_reasoning_format(sign), false);
    stream.keep_answer();
    Parts parts;
    const std::string_view text = "{\"a\": \"</think><|end|><|start|>assistant<|message|>\"}";
    for (const char c : text) stream.push({&c, 1}, parts.reasoning, parts.answer);
    stream.finish(parts.reasoning, parts.answer);
    EXPECT_EQ(parts, (Parts{"", std::string(text)}));
  }
}

TEST(ReasoningStreamTest, WhiteSpaceWithoutEndTakesNoTime) {
  for (const bool is_open : {false, true}) {
    ReasoningStream stream(find_reasoning_format("<think>"), is_open);
    Parts parts;
    for (int i = 0; i < 1'000'000; ++i) stream.push("\n", parts.reasoning, parts.answer);
    EXPECT_EQ(parts, Parts());
  }
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
