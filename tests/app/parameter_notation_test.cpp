// SPDX-License-Identifier: MIT
#include "app/parameter_notation.h"

#include <gtest/gtest.h>

#include <limits>

namespace confab::app {
namespace {

template <class Value>
std::optional<Value> read(std::string_view text, const ParameterRange& range = {0}) {
  Value value{};
  if (!read_value(text, range, value)) return std::nullopt;
  return value;
}

TEST(ParameterNotationTest, NumbersAreInTheirRange) {
  EXPECT_EQ(read<float>("0.25", {0, 1}), 0.25F);
  EXPECT_EQ(read<int>("-1", {-1, 5}), -1);
  EXPECT_EQ(read<std::optional<std::uint64_t>>("18446744073709551615"), UINT64_MAX);
  for (const char* text : {"", "x", "1x", " 1", "nan", "inf", "1.5e", "2"})
    EXPECT_FALSE(read<float>(text, {0, 1})) << text;
  for (const char* text : {"", "1.0", "6", "-2", "99999999999"})
    EXPECT_FALSE(read<int>(text, {-1, 5})) << text;
}

TEST(ParameterNotationTest, SwitchesAreTurnedOnAndOff) {
  for (const char* text : {"true", "on", "Yes", "1"}) EXPECT_EQ(read<bool>(text), true) << text;
  for (const char* text : {"false", "OFF", "no", "0"}) EXPECT_EQ(read<bool>(text), false) << text;
  for (const char* text : {"", "maybe", "2"}) EXPECT_FALSE(read<bool>(text)) << text;
}

TEST(ParameterNotationTest, SamplersAreInTheirOrder) {
  using enum engine::SamplerKind;
  EXPECT_EQ(read<Samplers>("xtc;top-k; Temp"), (Samplers{xtc, top_k, temperature}));
  EXPECT_EQ(read<Samplers>("min_p, min_p"), (Samplers{min_p, min_p}));
  EXPECT_EQ(read<Samplers>("none"), Samplers());
  for (const char* text : {"", ";", "top_k;warmth", "top_k;none"})
    EXPECT_FALSE(read<Samplers>(text)) << text;
  EXPECT_FALSE(read<Samplers>([] {
    std::string many;
    for (int i = 0; i < 33; ++i) many += "xtc;";
    return many;
  }()));
}

TEST(ParameterNotationTest, TextsAreOneOrInQuotes) {
  EXPECT_EQ(read<Texts>("a b"), (Texts{"a b"}));
  EXPECT_EQ(read<Texts>("\\n\\q\\"), (Texts{"\n\\q\\"}));
  EXPECT_EQ(read<Texts>(R"("a b" "\"" , "\\")"), (Texts{"a b", "\"", "\\"}));
  EXPECT_EQ(read<Texts>("none"), Texts());
  EXPECT_EQ(read<Texts>("\"none\""), Texts{"none"});
  for (const char* text : {"", "\"", "\"\"", "\"a", "\"a\"b", "\"a\" b"})
    EXPECT_FALSE(read<Texts>(text)) << text;
}

TEST(ParameterNotationTest, BiasesAreOfNumbersOrTexts) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(read<Biases>("15043+1"), (Biases{{.token = 15043, .bias = 1}}));
  EXPECT_EQ(read<Biases>("3-inf, \" a+\"-0.5  \"\\n\"+2"), (Biases{{.token = 3, .bias = kNever},
                                                                   {.text = " a+", .bias = -0.5F},
                                                                   {.text = "\n", .bias = 2}}));
  EXPECT_EQ(read<Biases>("none"), Biases());
  for (const char* text : {"", "5", "+1", "5+", "5+x", "5+inf", "5*2", "-5+1", "5+1+1", "5--1",
                           "5+-1", "5+1e9", "\"a+1", "\"\"+1", "5+nan", "99999999999+1"})
    EXPECT_FALSE(read<Biases>(text)) << text;
}

TEST(ParameterNotationTest, WhatIsWrittenIsReadAgain) {
  const Texts texts{"\n", "\"", "a b", "\\n", "none", "\t\r"};
  EXPECT_EQ(read<Texts>(write_value(texts)), texts);
  EXPECT_EQ(write_value(Texts{"\n", ":"}), R"("\n" ":")");
  const Biases biases{{.token = 3, .bias = -std::numeric_limits<float>::infinity()},
                      {.text = "\"+1", .bias = 0.1F}};
  EXPECT_EQ(read<Biases>(write_value(biases)), biases);
  EXPECT_EQ(write_value(Biases{{.token = 7, .bias = 2}}), "7+2");
  const Samplers samplers(engine::kSamplerOrder.begin(), engine::kSamplerOrder.end());
  EXPECT_EQ(read<Samplers>(write_value(samplers)), samplers);
  EXPECT_EQ(write_value(Samplers()), "none");
  EXPECT_EQ(write_value(Texts()), "none");
}

TEST(ParameterNotationTest, WhatIsExpectedIsSaid) {
  EXPECT_EQ(expected_text(0.0F, {0, 1}), "a number from 0 to 1");
  EXPECT_EQ(expected_text(0, {1}), "a whole number of at least 1");
  EXPECT_EQ(expected_text(true, {0}), "true or false");
}

}  // namespace
}  // namespace confab::app
