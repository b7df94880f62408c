// SPDX-License-Identifier: MIT
// A cursor over the tokens of a template, with the parser's errors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/prompt/jinja/lexer.h"

namespace confab::engine::jinja {

class TokenStream {
 public:
  // The last token must be `end`; the cursor stays on it.
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[pos_]; }
  // The token after the current one.
  const Token& next() const;
  Token take() { return tokens_[current().kind == TokenKind::end ? pos_ : pos_++]; }

  bool at_op(std::string_view op) const;
  bool at_name(std::string_view name) const;
  // Passes the token if it is that one.
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
