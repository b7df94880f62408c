// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/prompt/jinja/cases.h"

namespace confab::engine::jinja {
namespace {

TEST(Lexer, PrintsWhatJinja2Prints) {
  expect_jinja2_output("lexer");
}

TEST(Lexer, TellsKindsAndLines) {
  const auto tokens = tokenize("a\n{{ x.y }}\n{% if 'z' %}");
  ASSERT_EQ(tokens.size(), 12U);
  EXPECT_EQ(tokens[0].kind, TokenKind::data);
  EXPECT_EQ(tokens[1].kind, TokenKind::variable_begin);
  EXPECT_EQ(tokens[1].line, 2);
  EXPECT_EQ(tokens[3].text, ".");
  EXPECT_EQ(tokens[7].kind, TokenKind::block_begin);
  EXPECT_EQ(tokens[9].kind, TokenKind::string);
  EXPECT_EQ(tokens[9].line, 3);
  EXPECT_EQ(tokens[11].kind, TokenKind::end);
}

TEST(Lexer, TakesAllLineEnds) {
  EXPECT_EQ(render("a\r\n{% if 1 %}\r\nb\r{% endif %}\r\nc\r\n"), "a\nb\nc");
}

TEST(Lexer, NamesTheFaultAndItsLine) {
  EXPECT_EQ(error_of("a\n{# never closed"), "line 2: comment is never closed: missing '#}'");
  EXPECT_EQ(error_of("{% raw %}x"), "line 1: 'raw' is never closed: missing 'endraw'");
  EXPECT_EQ(error_of("\n\n{{ 'x }}"), "line 3: a string is never closed");
  EXPECT_EQ(error_of("{{ a ! b }}"), "line 1: unexpected character '!'");
  EXPECT_EQ(error_of("{{ " + std::string(201, 'a') + " }}"),
            "line 1: a name is longer than 200 bytes");
  EXPECT_EQ(error_of("{{ (1] }}"), "line 1: unexpected ']', expected ')'");
  EXPECT_EQ(error_of("{{ '\\u12' }}"), "line 1: a string has a cut-off \\u escape");
  EXPECT_EQ(error_of("{{ 99999999999999999999 }}"),
            "line 1: the integer 99999999999999999999 does not fit 64 bits");
}

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
