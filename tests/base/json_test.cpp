// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace confab::base {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

std::string repeated(std::string_view text, std::size_t n) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i) all += text;
  return all;
}

std::string fault_of(std::string_view text, const JsonRules& rules = {}) {
  try {
    static_cast<void>(Json::parse(text, rules));
    return "none";
  } catch (const JsonError& fault) {
    return fault.what();
  }
}

// As nlohmann, whose output the files and pipes of this program had before, writes it.
std::string as_before(std::string_view text, int indent = -1) {
  return ordered_json::parse(text).dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

TEST(JsonTest, ReadsEveryKindOfValue) {
  const Json json =
      Json::parse(R"({"a":null,"b":true,"c":-7,"d":1.5,"e":"x\u00e4","f":[1,[]],"g":{}})");
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.size(), 7U);
  EXPECT_EQ(json.find("a"), nullptr);
  EXPECT_TRUE(json.contains("a"));
  EXPECT_EQ(json.find("b")->as_bool(), true);
  EXPECT_EQ(json.find("c")->as_int(), -7);
  EXPECT_EQ(json.find("c")->as_uint(), std::nullopt);
  EXPECT_EQ(json.find("d")->as_double(), 1.5);
  EXPECT_EQ(json.find("d")->as_int(), std::nullopt);
  EXPECT_EQ(json.text_at("e"), "x\u00e4");
  EXPECT_EQ(json.text_at("c"), "");
  EXPECT_EQ(json.find("f")->elements()[0], Json(1));
  EXPECT_TRUE(json.find("f")->elements()[1].is_array());
  EXPECT_TRUE(json.find("g")->is_object());
  EXPECT_EQ(json.find("h"), nullptr);
  EXPECT_EQ(Json(3).find("a"), nullptr);
  EXPECT_TRUE(Json("x").elements().empty());
}

TEST(JsonTest, KeepsIntegersExactly) {
  EXPECT_EQ(Json::parse("9223372036854775807").as_int(), INT64_MAX);
  EXPECT_EQ(Json::parse("-9223372036854775808").as_int(), INT64_MIN);
  const Json large = Json::parse("18446744073709551615");
  EXPECT_EQ(large.as_uint(), UINT64_MAX);
  EXPECT_EQ(large.as_int(), std::nullopt);
  EXPECT_EQ(large.dump(), "18446744073709551615");
  EXPECT_EQ(Json(std::uint64_t{5}), Json(5));
  EXPECT_FALSE(Json::parse("18446744073709551616").is_integer());
}

TEST(JsonTest, MembersKeepTheirOrderAndTheLastOfANameCounts) {
  const Json json = Json::parse(R"({"z":1,"a":2,"z":3,"m":4,"a":5})");
  EXPECT_EQ(json.dump(), R"({"z":3,"a":5,"m":4})");
  EXPECT_EQ(json.find("z")->as_int(), 3);
  // as many as make a quadratic search show
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"k" + std::to_string(i % 100'000) + "\":1,";
  const Json large = Json::parse(text + "\"end\":0}");
  EXPECT_EQ(large.size(), 100'001U);
  EXPECT_EQ(large.members().back().key, "end");
}

TEST(JsonTest, WritesTheBytesThatItAlwaysWrote) {
  for (const char* text :
       {R"({"a":[],"b":{},"c":[1,2,[3]],"d":{"e":null,"f":[true,false]}})", "[]", "{}", "0", "-1",
        R"(["\"\\\/\b\f\n\r\t\u0001\u007f\u00e4\ud83d\ude00"])", "[[[]]]", R"({"":""})", "null"}) {
    EXPECT_EQ(Json::parse(text).dump(), as_before(text));
    EXPECT_EQ(Json::parse(text).dump(2), as_before(text, 2));
    EXPECT_EQ(Json::parse(text).dump(0), as_before(text, 0));
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double number = std::bit_cast<double>(random());
    EXPECT_EQ(Json(number).dump(), ordered_json(number).dump());
    const double near =
        std::ldexp(static_cast<double>(random() % 100'000), -static_cast<int>(random() % 20));
    EXPECT_EQ(Json(near).dump(), ordered_json(near).dump());
  }
  for (const double number : {0.0, -0.0, 1.0, 1e15, 1e16, 1e-4, 1e-5, 0.1, 123456.789, 1e300})
    EXPECT_EQ(Json(number).dump(), ordered_json(number).dump());
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
}

TEST(JsonTest, WritesAnyBytesAsItAlwaysDid) {
  std::mt19937 random(2);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (auto n = random() % 12; n > 0; --n) {
      constexpr unsigned char kBytes[] = {0xF0, 0x9F, 0x98, 0x80, 0xC3, 0xA4, 0xED, 0xA0,
                                          0xE2, 0x82, 0xFF, 'a',  '"',  '\n', 0,    0x7F};
      bytes += static_cast<char>(kBytes[random() % sizeof kBytes]);
    }
    const ordered_json before(bytes);
    EXPECT_EQ(Json(bytes).dump(),
              before.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }
}

TEST(JsonTest, BuildsWithBraces) {
  const Json json{{"name", "x"},
                  {"usage", {{"tokens", 3}, {"share", 0.5}}},
                  {"none", nullptr},
                  {"flag", true},
                  {"list", Json::array({1, "two", Json::object()})},
                  {"one", {{"a", "b"}}},
                  {"ids", std::vector<int>{4, 5}}};
  EXPECT_EQ(json.dump(), R"({"name":"x","usage":{"tokens":3,"share":0.5},"none":null,"flag":true,)"
                         R"("list":[1,"two",{}],"one":{"a":"b"},"ids":[4,5]})");
  Json built;
  built["a"]["b"] = 1;
  built["list"].push_back({{"x", 1}});
  built["list"].back()["y"] = 2;
  built["gone"] = 3;
  built.erase("gone");
  EXPECT_EQ(built.dump(), R"({"a":{"b":1},"list":[{"x":1,"y":2}]})");
}

TEST(JsonTest, FloatsAreWrittenWithAsFewDigitsAsTheyHave) {
  for (const auto& [number, text] :
       std::vector<std::pair<float, const char*>>{{0.2F, "0.2"},
                                                  {1.0F, "1.0"},
                                                  {0.95F, "0.95"},
                                                  {1e-5F, "1e-05"},
                                                  {1e20F, "1e+20"},
                                                  {-3.25F, "-3.25"},
                                                  {0.0F, "0.0"},
                                                  {16777216.0F, "16777216.0"}})
    EXPECT_EQ(Json(number).dump(), text);
  EXPECT_EQ(Json(std::numeric_limits<float>::infinity()).dump(), "null");
}

TEST(JsonTest, EqualityIgnoresTheOrderOfMembersOnly) {
  EXPECT_EQ(Json::parse(R"({"a":1,"b":[1,2]})"), Json::parse(R"({"b":[1,2],"a":1})"));
  EXPECT_NE(Json::parse("[1,2]"), Json::parse("[2,1]"));
  EXPECT_NE(Json::parse(R"({"a":1})"), Json::parse(R"({"a":1,"b":1})"));
  EXPECT_NE(Json::parse("[]"), Json::parse("{}"));
  EXPECT_EQ(Json::parse("1"), Json::parse("1.0"));
  EXPECT_NE(Json("1"), Json(1));
  EXPECT_EQ(Json("x"), "x");
}

TEST(JsonTest, ErrorsNameThePlaceAndWhatWasExpectedOnOneLine) {
  EXPECT_EQ(fault_of("[1,]"), "column 4: unexpected ']'; expected '[', '{', or a literal");
  EXPECT_EQ(fault_of("{\n  \"a\": 1\n  \"b\"\n}"),
            "line 3, column 5: unexpected string literal; expected '}'");
  EXPECT_EQ(fault_of(""), "column 1: unexpected end of input; expected '[', '{', or a literal");
  EXPECT_THAT(fault_of("[1, 2"), HasSubstr("column 6: unexpected end of input"));
  EXPECT_THAT(fault_of("[NaN]"), HasSubstr("column 2: invalid literal"));
  EXPECT_THAT(fault_of("[\"\xFF\"]"), HasSubstr("ill-formed UTF-8"));
  EXPECT_THAT(fault_of("[1e999]"), HasSubstr("a number is too large"));
  EXPECT_THAT(fault_of(R"(["\ud83d"])"), HasSubstr("surrogate"));
  EXPECT_THAT(fault_of("{} x"), HasSubstr("column 4"));
  EXPECT_THAT(fault_of("[\"\u00e4\u00e4\" x]"), HasSubstr("column 7"));  // characters, not bytes
}

TEST(JsonTest, ErrorsNeverShowMoreThanALineOfTheText) {
  for (const std::string& text :
       {"[\"" + std::string(1'000'000, 'x'), "[" + std::string(1'000'000, '1') + "x",
        "[" + std::string(1'000'000, '9') + "]", "[\"" + repeated("'; expected ", 100'000) + "\xFF",
        std::string("[\"a\nb")}) {
    const std::string fault = fault_of(text);
    EXPECT_NE(fault, "none");
    EXPECT_LT(fault.size(), 200U);
    EXPECT_EQ(fault.find('\n'), std::string::npos);
  }
}

TEST(JsonTest, NestsToItsLimitAndSaysWhereItIsPassed) {
  const auto nested = [](std::size_t n, std::string_view open, std::string_view close) {
    return repeated(open, n) + "1" + repeated(close, n);
  };
  EXPECT_EQ(fault_of(nested(kMostJsonDepth, "[", "]")), "none");
  EXPECT_EQ(fault_of(nested(kMostJsonDepth + 1, "[", "]")),
            "column 101: nests deeper than 100 levels");
  EXPECT_EQ(fault_of(nested(kMostJsonDepth, "{\"a\":", "}")), "none");
  for (const JsonRules& rules : {JsonRules{}, JsonRules{.lenient = true}}) {
    EXPECT_THAT(fault_of(std::string(1'000'000, '['), rules), HasSubstr("nests deeper"));
    EXPECT_THAT(fault_of(repeated("{\"[\\\"\":", 200'000), rules), HasSubstr("nests deeper"));
  }
  EXPECT_EQ(fault_of("[[]," + nested(kMostJsonDepth, "[", "]") + "]"),
            "column 104: nests deeper than 100 levels");
}

TEST(JsonTest, HasAsManyValuesAsItMayAndNoMore) {
  EXPECT_EQ(fault_of("[1,2]", {.most_values = 3}), "none");
  EXPECT_EQ(fault_of("[1,2,3]", {.most_values = 3}), "has more than 3 values");
  EXPECT_EQ(fault_of("[[],{}]", {.most_values = 2}), "has more than 2 values");
  EXPECT_THAT(fault_of("[" + repeated("[],", kMostJsonValues) + "0]"), HasSubstr("values"));
}

TEST(JsonTest, WhatSomebodyBuildsDeeperIsWrittenAndGoesWithoutRecursion) {
  constexpr std::size_t kDepth = 300'000;
  Json json;
  for (std::size_t i = 0; i < kDepth; ++i) {
    Json outer = i % 2 == 0 ? Json::array() : Json();
    if (i % 2 == 0)
      outer.push_back(std::move(json));
    else
      outer["a"] = std::move(json);
    json = std::move(outer);
  }
  EXPECT_EQ(json.dump().size(), kDepth / 2 * (2 + 6) + 4);
  EXPECT_EQ(json.excerpt(10), "{\"a\":[{\"a\"...");
}

TEST(JsonTest, ExcerptsAreBoundedAndCutBetweenCharacters) {
  EXPECT_EQ(Json(std::string(1'000'000, 'x')).excerpt(8), "\"xxxxxxx...");
  EXPECT_EQ(Json("\u00e4\u00e4\u00e4").excerpt(4), "\"\u00e4...");
  EXPECT_EQ(Json::parse("[1,2]").excerpt(), "[1,2]");
}

TEST(JsonTest, LenientlyReadsWhatEnginesSend) {
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
  EXPECT_EQ(lenient("[\"a\nb\tc\x1F\"]"), R"(["a\nb\tc\u001f"])");
  for (const char* text : {"[NaNa]", "[1nan]", "[\"\\ud8\"]", "[\"\\u", "[\"\\", "nan nan", "\""})
    EXPECT_NE(fault_of(text, {.lenient = true}), "none") << text;
}

TEST(JsonTest, HalvesOfACharacterJoinAcrossPieces) {
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

TEST(JsonTest, AnythingIsReadOrRefused) {
  std::mt19937 random(3);
  constexpr std::string_view kParts[] = {"[",  "]",    "{",   "}",  ",",  ":",       "\"a\"",
                                         "1",  "-",    "NaN", "\"", "\\", "\\ud83d", "\xF0\x9F",
                                         "e9", "null", "\n",  " ",  "."};
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) text += kParts[random() % std::size(kParts)];
    const auto strict = Json::try_parse(text);
    EXPECT_EQ(strict.has_value(), ordered_json::accept(text)) << text;
    if (strict) {
      EXPECT_EQ(strict->dump(), as_before(text));
    }
    for (const bool keep : {false, true}) {
      const auto read = Json::try_parse(text, {.lenient = true, .keep_halves = keep});
      EXPECT_GE(read.has_value(), strict.has_value());
      if (read) {
        EXPECT_TRUE(ordered_json::accept(read->dump())) << text;
      }
    }
  }
}

// What the text of a handler sees.
class Written final : public JsonEvents {
 public:
  void leaf(Json value, std::string_view number) override {
    text += number.empty() ? value.dump() : std::string(number);
    text += ' ';
  }
  void key(std::string name) override { text += name + ":"; }
  void open(bool is_object) override { text += is_object ? "{" : "["; }
  void close() override { text += ")"; }
  std::string text;
};

TEST(JsonTest, HandlersSeeEveryMemberAndNumbersAsTheyStand) {
  Written written;
  read_json(R"({"a":0.10,"a":1e2,"b":[1,"x",null]})", written);
  EXPECT_EQ(written.text, "{a:0.10 a:1e2 b:[1 \"x\" null ))");
}

}  // namespace
}  // namespace confab::base
