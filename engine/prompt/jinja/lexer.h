// SPDX-License-Identifier: MIT
// Splits Jinja source into tokens, with the white space rules of trim_blocks and lstrip_blocks.
//
// The rules come from the Jinja2 documentation, "Whitespace Control", and from the behaviour of
// Jinja2 3.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace confab::engine::jinja {

enum class TokenKind {
  data,         // text between tags
  block_begin,  // {%
  block_end,
  variable_begin,  // {{
  variable_end,
  name,
  string,  // `text` is without quotes, with escapes resolved
  integer,
  real,
  op,  // `text` is the operator
  end,
};

struct Token {
  TokenKind kind;
  int line;  // counted from 1
  std::string text;
  std::int64_t integer = 0;
  double real = 0.0;
};

// The last token is always `end`. Throws ModelError "line N: ...".
std::vector<Token> tokenize(std::string_view source);

// A cursor over the tokens of a template. It also raises the parser's errors.
class TokenStream {
 public:
  // The last token must be `end`. The cursor never goes past it.
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[pos_]; }
  // The token after the current one.
  const Token& next() const;
  Token take() { return tokens_[current().kind == TokenKind::end ? pos_ : pos_++]; }

  bool at_op(std::string_view op) const;
  bool at_name(std::string_view name) const;
  // Takes the current token if it is this one.
  bool accept_op(std::string_view op);
  bool accept_name(std::string_view name);
  void expect_op(std::string_view op);
  std::string expect_name();

  // Throw ModelError "line N: ..." with the current token's line.
  [[noreturn]] void fail(std::string_view message) const;
  [[noreturn]] void fail_unexpected(std::string_view expected) const;

 private:
  std::vector<Token> tokens_;
  std::size_t pos_ = 0;
};

}  // namespace confab::engine::jinja
