// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "engine/error.h"
#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(Bound, MatchesByPlaceAndName) {
  Runtime runtime({}, {});
  Arguments arguments;
  arguments.positional = {Value::plain("x")};
  arguments.named = {{"c", Value(std::int64_t{5})}};
  const Bound bound(runtime, "f", arguments, {"a", "b", "c"});
  EXPECT_EQ(bound.text(0).view(), "x");
  EXPECT_FALSE(bound.has(1));
  EXPECT_EQ(bound.integer(2), 5);
  EXPECT_EQ(bound.text_or(1, "d").view(), "d");
  EXPECT_EQ(bound.integer_or(1, 9), 9);
  EXPECT_TRUE(bound.flag_or(2, false));
  EXPECT_TRUE(bound.value_or(1, Value()).is_none());
}

TEST(Builtin, CountsTheStringsThatItIsGiven) {
  const Function nothing(+[](Runtime&, const Value&, const Arguments&) { return Value(); });
  EXPECT_TRUE(nothing);
  EXPECT_FALSE(Function());
  Runtime runtime({.work_bytes = 30}, {});
  Arguments arguments;
  arguments.positional = {Value::plain(std::string(10, 'x')), Value(std::int64_t{5})};
  arguments.named = {{"c", Value::plain(std::string(10, 'x'))}};
  nothing(runtime, Value::plain(std::string(10, 'x')), arguments);
  EXPECT_THROW(nothing(runtime, Value::plain("x"), {}), ModelError);
}

TEST(Bound, NamesWhatIsWrong) {
  EXPECT_EQ(error_of("{{ 'a'.split(1, 2, 3) }}"),
            "line 1: str.split: found 3 arguments, expected at most 2");
  EXPECT_EQ(error_of("{{ 'a'.split(by=1) }}"), "line 1: str.split: no parameter 'by'");
  EXPECT_EQ(error_of("{{ 'a'.split(',', sep=',') }}"), "line 1: str.split: 'sep' is given twice");
  EXPECT_EQ(error_of("{{ 'a'.replace('a') }}"),
            "line 1: str.replace: found nothing as 'new', expected str");
  EXPECT_EQ(error_of("{{ range('a') }}"), "line 1: range: found str as 'start', expected int");
}

}  // namespace
}  // namespace confab::engine::jinja
