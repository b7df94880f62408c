// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/token_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/prompt/jinja/cases.h"
namespace confab::engine::jinja {
namespace {

TEST(TokenStream, StaysOnItsEnd) {
  TokenStream in(tokenize(""));
  in.take();
  in.take();
  EXPECT_EQ(in.current().kind, TokenKind::end);
  EXPECT_EQ(in.next().kind, TokenKind::end);
}

TEST(TokenStream, AcceptsOnlyWhatIsThere) {
  TokenStream in(tokenize("{{ a + b }}"));
  in.take();
  EXPECT_FALSE(in.accept_name("b"));
  EXPECT_TRUE(in.at_name("a"));
  EXPECT_EQ(in.expect_name(), "a");
  EXPECT_FALSE(in.accept_op("-"));
  in.expect_op("+");
  EXPECT_TRUE(in.accept_name("b"));
}

TEST(TokenStream, SaysWhatItFound) {
  EXPECT_EQ(error_of("{{ f(1 2) }}"), "line 1: found '2', expected ','");
  EXPECT_EQ(error_of("\n{% for 3 in x %}{% endfor %}"), "line 2: found '3', expected a name");
  EXPECT_EQ(error_of("{% if x %}"), "line 1: the template ends, expected 'endif'");
}

}  // namespace
}  // namespace confab::engine::jinja
