// SPDX-License-Identifier: MIT
// The part of ExpressionParser for what follows an operand: members, calls, filters and tests.
#include <algorithm>

#include "engine/prompt/jinja/expression_parser.h"

namespace confab::engine::jinja {
namespace {

int height_of_arguments(const CallArguments& arguments) {
  int highest = height(arguments.positional);
  for (const auto& [name, value] : arguments.named) highest = std::max(highest, height(value));
  return std::max({highest, height(arguments.star), height(arguments.double_star)});
}

}  // namespace

ExprPtr ExpressionParser::parse_postfix(ExprPtr operand) {
  while (true) {
    if (at_op(".")) {
      operand = parse_member(std::move(operand));
    } else if (at_op("[")) {
      operand = parse_subscript(std::move(operand));
    } else if (at_op("(")) {
      operand = parse_call(std::move(operand));
    } else {
      return operand;
    }
  }
}

ExprPtr ExpressionParser::parse_member(ExprPtr object) {
  const int line = current().line;
  const int below = height(object);
  expect_op(".");
  if (current().kind != TokenKind::integer) {
    return make(line, below, Attribute{std::move(object), expect_name()});
  }
  ExprPtr key = make(line, 0, Constant{Value(take().integer)});
  return make(line, below, Subscript{std::move(object), std::move(key)});
}

ExprPtr ExpressionParser::parse_subscript(ExprPtr object) {
  const int line = current().line;
  expect_op("[");
  std::vector<ExprPtr> parts;  // of begin:end:step
  bool is_slice = false;
  while (parts.size() < 3) {
    const bool absent = at_op(":") || at_op("]");
    parts.push_back(absent ? nullptr : parse_expression());
    if (!accept_op(":")) break;
    is_slice = true;
  }
  if (!is_slice && parts[0] == nullptr) fail_unexpected("a subscript");
  std::vector<ExprPtr> tuple;
  while (!is_slice && accept_op(",")) {
    if (tuple.empty()) tuple.push_back(std::move(parts[0]));
    if (!at_op("]")) tuple.push_back(parse_expression());
  }
  expect_op("]");
  const int below = std::max({height(object), height(parts), height(tuple)});
  if (is_slice) {
    parts.resize(3);
    return make(
        line, below,
        Slice{std::move(object), std::move(parts[0]), std::move(parts[1]), std::move(parts[2])});
  }
  if (!tuple.empty()) {
    parts[0] = make(line, height(tuple), ListLiteral{std::move(tuple), ListKind::tuple});
  }
  return make(line, std::max(below, height(parts)),
              Subscript{std::move(object), std::move(parts[0])});
}

ExprPtr ExpressionParser::parse_call(ExprPtr callee) {
  const int line = current().line;
  CallArguments arguments = parse_arguments();
  const int below = std::max(height(callee), height_of_arguments(arguments));
  return make(line, below, Call{std::move(callee), std::move(arguments)});
}

CallArguments ExpressionParser::parse_arguments() {
  expect_op("(");
  CallArguments arguments;
  for (bool first = true; !accept_op(")"); first = false) {
    if (!first) {
      expect_op(",");
      if (accept_op(")")) break;
    }
    const bool is_named =
        current().kind == TokenKind::name && next().kind == TokenKind::op && next().text == "=";
    if (accept_op("*")) {
      if (arguments.star != nullptr) fail("a call can have only one *argument");
      arguments.star = parse_expression();
    } else if (accept_op("**")) {
      if (arguments.double_star != nullptr) fail("a call can have only one **argument");
      arguments.double_star = parse_expression();
    } else if (is_named) {
      std::string name = expect_name();
      expect_op("=");
      arguments.named.emplace_back(std::move(name), parse_expression());
    } else {
      if (!arguments.named.empty()) fail("positional argument follows keyword argument");
      arguments.positional.push_back(parse_expression());
    }
  }
  return arguments;
}

ExprPtr ExpressionParser::parse_filters_and_tests(ExprPtr operand) {
  while (true) {
    if (accept_op("|")) {
      operand = parse_filter(std::move(operand));
    } else if (accept_name("is")) {
      operand = parse_test(std::move(operand));
    } else if (at_op("(")) {
      operand = parse_call(std::move(operand));
    } else {
      return operand;
    }
  }
}

ExprPtr ExpressionParser::parse_filters() {
  ExprPtr filters = parse_filter(nullptr);
  while (accept_op("|")) filters = parse_filter(std::move(filters));
  return filters;
}

std::string ExpressionParser::parse_dotted_name() {
  std::string name = expect_name();
  while (accept_op(".")) name += "." + expect_name();
  return name;
}

ExprPtr ExpressionParser::parse_filter(ExprPtr operand) {
  const int line = current().line;
  std::string name = parse_dotted_name();
  CallArguments arguments = at_op("(") ? parse_arguments() : CallArguments{};
  const int below = std::max(height(operand), height_of_arguments(arguments));
  return make(line, below, Filter{std::move(operand), std::move(name), std::move(arguments)});
}

// A test takes one argument without parentheses: x is divisibleby 3.
bool ExpressionParser::at_test_argument() const {
  switch (current().kind) {
    case TokenKind::string:
    case TokenKind::integer:
    case TokenKind::real:
      return true;
    case TokenKind::name:
      return !at_name("else") && !at_name("or") && !at_name("and") && !at_name("if") &&
             !at_name("in") && !at_name("not");
    default:
      return at_op("[") || at_op("{");
  }
}

ExprPtr ExpressionParser::parse_test(ExprPtr operand) {
  const int line = current().line;
  const bool negated = accept_name("not");
  std::string name = parse_dotted_name();
  CallArguments arguments;
  if (at_op("(")) {
    arguments = parse_arguments();
  } else if (at_test_argument()) {
    if (at_name("is")) fail("tests cannot be chained with 'is'");
    arguments.positional.push_back(parse_postfix(parse_primary()));
  }
  const int below = std::max(height(operand), height_of_arguments(arguments));
  return make(line, below,
              Test{std::move(operand), std::move(name), std::move(arguments), negated});
}

}  // namespace confab::engine::jinja
