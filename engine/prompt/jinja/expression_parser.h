// SPDX-License-Identifier: MIT
// Parses tokens into expressions. The parser of statements builds on it.
//
// The grammar and the precedences follow Jinja2 3.1. From the loosest to the tightest: conditional,
// or, and, not, comparisons, + and -, ~, * and / and // and %, **, unary, postfix, filters and
// tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/prompt/jinja/ast.h"
#include "engine/prompt/jinja/lexer.h"

namespace confab::engine::jinja {

// The height of an expression, 0 for null. For several, it is the largest height.
int height(const ExprPtr& expr);
int height(const std::vector<ExprPtr>& exprs);

class ExpressionParser : public TokenStream {
 public:
  using TokenStream::TokenStream;

  ExprPtr parse_expression();
  // Comma-separated expressions become a tuple. A single one stays as it is.
  ExprPtr parse_tuple(bool with_conditional = true);
  // Parses name(arguments)|name..., with a null operand at the start.
  ExprPtr parse_filters();
  CallArguments parse_arguments();

  // Makes an expression over others; `below` is the largest height among them. Throws ModelError if
  // the result is too high.
  ExprPtr make(int line, int below, Expr::Node node) const;

  // Whether the variable varargs or kwargs was used since the last call.
  bool take_used_varargs() { return std::exchange(used_varargs_, false); }
  bool take_used_kwargs() { return std::exchange(used_kwargs_, false); }
  void note_used(bool varargs, bool kwargs) {
    used_varargs_ = varargs;
    used_kwargs_ = kwargs;
  }

 private:
  class Nesting;

  ExprPtr parse_or();
  ExprPtr parse_and();
  ExprPtr parse_not();
  ExprPtr parse_compare();
  ExprPtr parse_sum();
  ExprPtr parse_concat();
  ExprPtr parse_product();
  ExprPtr parse_power();
  ExprPtr parse_unary(bool with_filters);
  ExprPtr parse_primary();
  ExprPtr parse_name();
  ExprPtr parse_parentheses();
  ExprPtr parse_list();
  ExprPtr parse_dict();
  // Parse what follows an operand: members, calls, filters and tests.
  ExprPtr parse_postfix(ExprPtr operand);
  ExprPtr parse_member(ExprPtr object);
  ExprPtr parse_subscript(ExprPtr object);
  ExprPtr parse_call(ExprPtr callee);
  ExprPtr parse_filters_and_tests(ExprPtr operand);
  ExprPtr parse_filter(ExprPtr operand);
  ExprPtr parse_test(ExprPtr operand);
  bool at_test_argument() const;
  std::string parse_dotted_name();
  bool at_tuple_end() const;

  int nesting_ = 0;
  bool used_varargs_ = false;
  bool used_kwargs_ = false;
};

}  // namespace confab::engine::jinja
