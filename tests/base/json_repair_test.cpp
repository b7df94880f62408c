// SPDX-License-Identifier: MIT
#include "base/json_repair.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace confab::base {
namespace {

TEST(JsonRepairTest, LenientlyReadsWhatEnginesSend) {
  const auto lenient = [](std::string_view text) {
    return Json::parse(text, {.lenient = true}).dump();
  };
  EXPECT_EQ(lenient("[NaN, -Infinity,Infinity,nan,-inf,-nan, 1]"),
            "[null,null,null,null,null,null,1]");
  EXPECT_EQ(lenient(R"({"NaN":"-Infinity NaN"})"), R"({"NaN":"-Infinity NaN"})");
  EXPECT_EQ(lenient(R"(["\ud83d","\ude00","\ud83dx","\ude00\ud83d"])"),
            "[\"\uFFFD\",\"\uFFFD\",\"\uFFFDx\",\"\uFFFD\uFFFD\"]");
  EXPECT_EQ(lenient(R"(["\ud83d\ude00","\\ud83d","\""])"),
            "[\"\U0001F600\",\"\\\\ud83d\",\"\\\"\"]");
  EXPECT_EQ(lenient("[\"a\xFF\xE2\x82\x62\xF0\x9F\x98\"]"), "[\"a\uFFFD\uFFFD\x62\uFFFD\"]");
  EXPECT_EQ(lenient("[\"a\nb\tc\r\"]"), R"(["a\nb\tc\r"])");
  for (const char* text :
       {"[\"\x1F\"]", "[NaNa]", "[1nan]", "[\"\\ud8\"]", "[\"\\u", "[\"\\", "nan nan", "\""})
    EXPECT_FALSE(Json::try_parse(text, {.lenient = true})) << text;
}

TEST(JsonRepairTest, HalvesOfACharacterJoinAcrossPieces) {
  const auto piece = [](std::string_view escaped) {
    const std::string text = "[\"" + std::string(escaped) + "\"]";
    return *Json::parse(text, {.lenient = true, .keep_halves = true}).elements()[0].as_text();
  };
  HalfJoiner joiner;
  EXPECT_EQ(joiner.push(piece(R"(a\ud83d)")), "a");
  EXPECT_EQ(joiner.push(piece(R"(\ude00b)")), "\U0001F600b");
  EXPECT_EQ(joiner.push(piece(R"(\ude00\ud83d)")), "\uFFFD");
  EXPECT_EQ(joiner.push(piece(R"(\ud83d)")), "\uFFFD");
  EXPECT_EQ(joiner.push(""), "");
  EXPECT_EQ(joiner.push("c"), "\uFFFDc");
  EXPECT_EQ(joiner.push(piece(R"(\ud83d)") + piece(R"(\ude00)")), "\U0001F600");
  EXPECT_EQ(joiner.finish(), "");
  EXPECT_EQ(joiner.push(piece(R"(\ud83d)")), "");
  EXPECT_EQ(joiner.finish(), "\uFFFD");
  EXPECT_EQ(joiner.push("\U00100000\xF4"), "\U00100000\xF4");  // no halves
}

}  // namespace
}  // namespace confab::base
