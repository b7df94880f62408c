// SPDX-License-Identifier: MIT
// Jinja source to tokens, with the white space rules of trim_blocks and lstrip_blocks.
//
// Source of the rules: the Jinja2 documentation, "Whitespace Control", and the behaviour of
// Jinja2 3.1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine::jinja {

enum class TokenKind {
  data,         // text between tags
  block_begin,  // {%
  block_end,
  variable_begin,  // {{
  variable_end,
  name,
  string,  // text: without quotes, escapes resolved
  integer,
  real,
  op,  // text: the operator
  end,
};

struct Token {
  TokenKind kind;
  int line;  // from 1
  std::string text;
  std::int64_t integer = 0;
  double real = 0.0;
};

// The last token is always `end`. Throws ModelError "line N: ...".
std::vector<Token> tokenize(std::string_view source);

}  // namespace confab::engine::jinja
