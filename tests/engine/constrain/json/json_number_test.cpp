// SPDX-License-Identifier: MIT
// Numbers as texts against arithmetic on whole numbers of millionths.
#include "engine/constrain/json/json_number.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

constexpr std::int64_t kUnit = 1'000'000;

// A number, and what it is in millionths; written in one of several ways.
struct Number {
  std::int64_t value;
  std::string text;
};

std::string written(std::int64_t value, std::size_t n_zeros) {
  const std::int64_t size = value < 0 ? -value : value;
  std::string fraction = fmt::format("{:06}", size % kUnit);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  fraction.append(n_zeros, '0');
  return fmt::format("{}{}{}{}", value < 0 ? "-" : "", size / kUnit, fraction.empty() ? "" : ".",
                     fraction);
}

std::int64_t random_value(std::mt19937& rng) {
  // Few digits, so that numbers meet.
  const std::int64_t scales[] = {1, 10, 1000, 10'000, 100'000, kUnit, kUnit * 10, kUnit * 100};
  const auto digits = static_cast<std::int64_t>(rng() % (rng() % 2 == 0 ? 30 : 3000)) - 15;
  return (rng() % 2 == 0 ? digits : -digits) * scales[rng() % 8];
}

Number random_number(std::mt19937& rng) {
  const std::int64_t value = random_value(rng);
  if (value == 0 && rng() % 2 == 0) return {0, "-" + written(0, rng() % 3)};
  return {value, written(value, rng() % 3 == 0 ? rng() % 4 : 0)};
}

Decimal decimal(std::int64_t value) {
  return Decimal::parse(written(value, 0));
}

TEST(JsonNumberTest, BoundsAreThoseOfArithmetic) {
  std::mt19937 rng(20261123);
  for (int i = 0; i < 150; ++i) {
    RegexSet r;
    const std::int64_t bound = random_value(rng);
    const RegexId least = at_least(r, decimal(bound), false),
                  more = at_least(r, decimal(bound), true),
                  most = at_most(r, decimal(bound), false), less = at_most(r, decimal(bound), true),
                  equal = equal_to(r, decimal(bound));
    std::vector<Number> numbers{{bound, written(bound, 0)},
                                {bound, written(bound, 2)},
                                {0, "-0"},
                                {0, "0.0"},
                                {bound + 1, written(bound + 1, 0)},
                                {bound - 1, written(bound - 1, 1)}};
    while (numbers.size() < 120) numbers.push_back(random_number(rng));
    for (const auto& [value, text] : numbers) {
      ASSERT_EQ(r.matches(least, text), value >= bound) << text << " >= " << written(bound, 0);
      ASSERT_EQ(r.matches(more, text), value > bound) << text << " > " << written(bound, 0);
      ASSERT_EQ(r.matches(most, text), value <= bound) << text << " <= " << written(bound, 0);
      ASSERT_EQ(r.matches(less, text), value < bound) << text << " < " << written(bound, 0);
      ASSERT_EQ(r.matches(equal, text), value == bound) << text << " == " << written(bound, 0);
    }
  }
}

TEST(JsonNumberTest, MultiplesAreThoseOfArithmetic) {
  std::mt19937 rng(20261124);
  for (const char* divisor : {"1", "2", "3", "7", "10", "60", "0.01", "0.1", "0.25", "2.5", "1.5",
                              "0.125", "0.3", "12.0", "100", "1e1", "5e-1"}) {
    RegexSet r;
    const Decimal by = Decimal::parse(divisor);
    const auto unit = static_cast<std::int64_t>(std::stod(divisor) * kUnit + 0.5);
    const RegexId id = multiple_of(r, by);
    for (int i = 0; i < 400; ++i) {
      Number number = random_number(rng);
      if (i % 2 == 0) number = {number.value % 5000 * unit, written(number.value % 5000 * unit, 1)};
      ASSERT_EQ(r.matches(id, number.text), number.value % unit == 0)
          << number.text << " by " << divisor;
    }
  }
}

TEST(JsonNumberTest, WhatCannotBeCountedWithIsRefused) {
  RegexSet r;
  const std::pair<const char*, const char*> cases[] = {
      {"0", "must be greater than 0"},
      {"-2", "must be greater than 0"},
      {"0.00001234", "has too many digits to be counted with"},
      {"12345678901234567890", "has too many digits to be counted with"},
      {"2147483647", "has too many digits to be counted with"},
      {"1999999999", "has too many digits to be counted with"},
  };
  for (const auto& [divisor, fault] : cases)
    EXPECT_EQ(error_of([&] { multiple_of(r, Decimal::parse(divisor)); }), fault) << divisor;
}

TEST(JsonNumberTest, WholeNumbersMayHaveAPointAndZeros) {
  RegexSet r;
  const RegexId id = integer(r);
  for (const char* text : {"0", "-0", "7", "-12", "1.0", "100.000"})
    EXPECT_TRUE(r.matches(id, text)) << text;
  for (const char* text : {"", "-", "01", "1.", "1.5", "1.01", ".0", "+1", "1e2"})
    EXPECT_FALSE(r.matches(id, text)) << text;
}

TEST(JsonNumberTest, WholeNumbersOfOldDraftsHaveNone) {
  RegexSet r;
  for (const char* text : {"0", "-0", "7", "-12"})
    EXPECT_TRUE(r.matches(plain_integer(r), text)) << text;
  for (const char* text : {"", "-", "01", "1.0", "1.", "1e2"})
    EXPECT_FALSE(r.matches(plain_integer(r), text)) << text;
}

TEST(JsonNumberTest, NumbersAsJsonWritesThem) {
  RegexSet r;
  for (const char* text : {"0", "-0", "1", "10", "0.5", "-12.050"}) {
    EXPECT_TRUE(r.matches(any_number(r), text)) << text;
    EXPECT_TRUE(r.matches(plain_number(r), text)) << text;
  }
  for (const char* text : {"1e5", "-0.5E+10", "1e-07", "2e299", "0e0"}) {
    EXPECT_TRUE(r.matches(any_number(r), text)) << text;
    EXPECT_FALSE(r.matches(plain_number(r), text)) << text;
  }
  for (const char* text :
       {"", "-", "00", "01", "1.", ".5", "1e", "e5", "+1", "0x1", "1.e1", "NaN", "1e309", "1e999"})
    EXPECT_FALSE(r.matches(any_number(r), text)) << text;
}

// What is limited is written without an exponent and in JSON's way.
TEST(JsonNumberTest, LimitedNumbersAreNumbers) {
  RegexSet r;
  const RegexId plain = plain_number(r);
  for (const char* bound : {"0", "-0.5", "12.25", "-100", "0.001", "9", "99.99"}) {
    const Decimal by = Decimal::parse(bound);
    for (const RegexId id :
         {at_least(r, by, false), at_least(r, by, true), at_most(r, by, false),
          at_most(r, by, true), equal_to(r, by), multiple_of(r, Decimal::parse("0.5"))})
      EXPECT_TRUE(r.is_empty(r.both({id, r.negation(plain)}))) << bound;
    // Together they are all there is, and nothing is in both halves.
    const RegexId low = at_most(r, by, true), high = at_least(r, by, false);
    EXPECT_TRUE(r.is_empty(r.both({low, high}))) << bound;
    EXPECT_TRUE(r.is_empty(r.both({plain, r.negation(r.either({low, high}))}))) << bound;
  }
}

TEST(JsonNumberTest, DecimalsAreReadExactly) {
  struct Case {
    const char* json;
    bool is_negative;
    const char* whole;
    const char* fraction;
  };
  for (const auto& [json, is_negative, whole, fraction] :
       {Case{"0", false, "0", ""},
        {"-0.0", false, "0", ""},
        {"1.50", false, "1", "5"},
        {"-12e2", true, "1200", ""},
        {"1.25e1", false, "12", "5"},
        {"1e-3", false, "0", "001"},
        {"-1.5E+2", true, "150", ""},
        {"123456789012345678901234567890", false, "123456789012345678901234567890", ""},
        {"100e-2", false, "1", ""}}) {
    const Decimal number = Decimal::parse(json);
    EXPECT_EQ(number.is_negative, is_negative) << json;
    EXPECT_EQ(number.whole, whole) << json;
    EXPECT_EQ(number.fraction, fraction) << json;
  }
  for (const char* bad : {"", "-", "x", "1e401", "1e-500", "1e99999999999999999999", "inf", "nan"})
    EXPECT_THAT(error_of([&] { Decimal::parse(bad); }),
                testing::HasSubstr("too large or too small"))
        << bad;
}

}  // namespace
}  // namespace confab::engine
