// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engine/error.h"
#include "engine/prompt/jinja/runtime.h"

namespace confab::engine::jinja {
namespace {

// The maximum height of an expression. A chain adds to it: a + b + c is three levels high.
constexpr int kMaxHeight = 256;

int height_of_arguments(const CallArguments& arguments) {
  int highest = height(arguments.positional);
  for (const auto& [name, value] : arguments.named) highest = std::max(highest, height(value));
  return std::max({highest, height(arguments.star), height(arguments.double_star)});
}

}  // namespace

int height(const ExprPtr& expr) {
  return expr == nullptr ? 0 : expr->height;
}

int height(const std::vector<ExprPtr>& exprs) {
  int highest = 0;
  for (const ExprPtr& expr : exprs) highest = std::max(highest, height(expr));
  return highest;
}

// Counts one level of recursion while it exists.
class ExpressionParser::Nesting {
 public:
  explicit Nesting(ExpressionParser& parser) : nesting_(parser.nesting_) {
    if (nesting_ >= kMaxNesting) {
      parser.fail(fmt::format("expressions nest deeper than {}", kMaxNesting));
    }
    ++nesting_;
  }
  ~Nesting() { --nesting_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  int& nesting_;
};

ExprPtr ExpressionParser::make(int line, int below, Expr::Node node) const {
  if (below >= kMaxHeight) {
    throw ModelError(
        fmt::format("line {}: an expression has more than {} levels", line, kMaxHeight));
  }
  return std::make_unique<const Expr>(Expr{line, below + 1, std::move(node)});
}

ExprPtr ExpressionParser::parse_expression() {
  const Nesting nesting(*this);
  const int line = current().line;
  ExprPtr value = parse_or();
  while (accept_name("if")) {
    ExprPtr condition = parse_or();
    ExprPtr otherwise = accept_name("else") ? parse_expression() : nullptr;
    const int below = std::max({height(value), height(condition), height(otherwise)});
    value = make(line, below,
                 Conditional{std::move(condition), std::move(value), std::move(otherwise)});
  }
  return value;
}

bool ExpressionParser::at_tuple_end() const {
  const TokenKind kind = current().kind;
  return kind == TokenKind::variable_end || kind == TokenKind::block_end || at_op(")");
}

ExprPtr ExpressionParser::parse_tuple(bool with_conditional) {
  const int line = current().line;
  std::vector<ExprPtr> items;
  bool is_tuple = false;
  while (!at_tuple_end()) {
    items.push_back(with_conditional ? parse_expression() : parse_or());
    if (!accept_op(",")) break;
    is_tuple = true;
  }
  if (items.empty()) fail_unexpected("an expression");
  if (!is_tuple) return std::move(items[0]);
  const int below = height(items);
  return make(line, below, ListLiteral{std::move(items), ListKind::tuple});
}

ExprPtr ExpressionParser::parse_or() {
  const int line = current().line;
  ExprPtr left = parse_and();
  while (accept_name("or")) {
    ExprPtr right = parse_and();
    const int below = std::max(height(left), height(right));
    left = make(line, below, Logic{false, std::move(left), std::move(right)});
  }
  return left;
}

ExprPtr ExpressionParser::parse_and() {
  const int line = current().line;
  ExprPtr left = parse_not();
  while (accept_name("and")) {
    ExprPtr right = parse_not();
    const int below = std::max(height(left), height(right));
    left = make(line, below, Logic{true, std::move(left), std::move(right)});
  }
  return left;
}

ExprPtr ExpressionParser::parse_not() {
  const int line = current().line;
  if (!accept_name("not")) return parse_compare();
  const Nesting nesting(*this);
  ExprPtr operand = parse_not();
  const int below = height(operand);
  return make(line, below, Unary{UnaryOp::logical_not, std::move(operand)});
}

ExprPtr ExpressionParser::parse_compare() {
  constexpr std::array<std::pair<std::string_view, CompareOp>, 6> kOperators = {{
      {"==", CompareOp::equal},
      {"!=", CompareOp::not_equal},
      {"<", CompareOp::less},
      {"<=", CompareOp::less_equal},
      {">", CompareOp::greater},
      {">=", CompareOp::greater_equal},
  }};
  const auto take_operator = [&]() -> std::optional<CompareOp> {
    for (const auto& [text, op] : kOperators) {
      if (accept_op(text)) return op;
    }
    if (accept_name("in")) return CompareOp::in;
    const bool before_in = next().kind == TokenKind::name && next().text == "in";
    if (!before_in || !accept_name("not")) return std::nullopt;
    take();
    return CompareOp::not_in;
  };
  const int line = current().line;
  ExprPtr first = parse_sum();
  std::vector<std::pair<CompareOp, ExprPtr>> rest;
  int below = height(first);
  while (const auto op = take_operator()) {
    rest.emplace_back(*op, parse_sum());
    below = std::max(below, height(rest.back().second));
  }
  if (rest.empty()) return first;
  return make(line, below, Compare{std::move(first), std::move(rest)});
}

ExprPtr ExpressionParser::parse_sum() {
  const int line = current().line;
  ExprPtr left = parse_concat();
  while (at_op("+") || at_op("-")) {
    const BinaryOp op = take().text == "+" ? BinaryOp::add : BinaryOp::subtract;
    ExprPtr right = parse_concat();
    const int below = std::max(height(left), height(right));
    left = make(line, below, Binary{op, std::move(left), std::move(right)});
  }
  return left;
}

ExprPtr ExpressionParser::parse_concat() {
  const int line = current().line;
  std::vector<ExprPtr> parts;
  parts.push_back(parse_product());
  while (accept_op("~")) parts.push_back(parse_product());
  if (parts.size() == 1) return std::move(parts[0]);
  const int below = height(parts);
  return make(line, below, Concat{std::move(parts)});
}

ExprPtr ExpressionParser::parse_product() {
  constexpr std::array<std::pair<std::string_view, BinaryOp>, 4> kOperators = {{
      {"*", BinaryOp::multiply},
      {"/", BinaryOp::divide},
      {"//", BinaryOp::floor_divide},
      {"%", BinaryOp::modulo},
  }};
  const auto take_operator = [&]() -> std::optional<BinaryOp> {
    for (const auto& [text, op] : kOperators) {
      if (accept_op(text)) return op;
    }
    return std::nullopt;
  };
  const int line = current().line;
  ExprPtr left = parse_power();
  while (const auto op = take_operator()) {
    ExprPtr right = parse_power();
    const int below = std::max(height(left), height(right));
    left = make(line, below, Binary{*op, std::move(left), std::move(right)});
  }
  return left;
}

ExprPtr ExpressionParser::parse_power() {
  const int line = current().line;
  ExprPtr left = parse_unary(true);
  while (accept_op("**")) {
    ExprPtr right = parse_unary(true);
    const int below = std::max(height(left), height(right));
    left = make(line, below, Binary{BinaryOp::power, std::move(left), std::move(right)});
  }
  return left;
}

ExprPtr ExpressionParser::parse_unary(bool with_filters) {
  const int line = current().line;
  ExprPtr value;
  if (at_op("-") || at_op("+")) {
    const Nesting nesting(*this);
    const UnaryOp op = take().text == "-" ? UnaryOp::negate : UnaryOp::plus;
    ExprPtr operand = parse_unary(false);
    const int below = height(operand);
    value = make(line, below, Unary{op, std::move(operand)});
  } else {
    value = parse_primary();
  }
  value = parse_postfix(std::move(value));
  return with_filters ? parse_filters_and_tests(std::move(value)) : std::move(value);
}

ExprPtr ExpressionParser::parse_primary() {
  const int line = current().line;
  switch (current().kind) {
    case TokenKind::name:
      return parse_name();
    case TokenKind::integer:
      return make(line, 0, Constant{Value(take().integer)});
    case TokenKind::real:
      return make(line, 0, Constant{Value(take().real)});
    case TokenKind::string: {
      std::string text;
      while (current().kind == TokenKind::string) text += take().text;
      return make(line, 0, Constant{Value::plain(std::move(text))});
    }
    default:
      break;
  }
  if (at_op("(")) return parse_parentheses();
  if (at_op("[")) return parse_list();
  if (at_op("{")) return parse_dict();
  fail_unexpected("an expression");
}

ExprPtr ExpressionParser::parse_name() {
  constexpr std::array<std::string_view, 8> kReserved = {"and", "else", "elif", "if",
                                                         "in",  "is",   "not",  "or"};
  const int line = current().line;
  const std::string& name = current().text;
  if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end()) {
    fail_unexpected("an expression");
  }
  std::string taken = take().text;
  if (taken == "true" || taken == "True") return make(line, 0, Constant{Value(true)});
  if (taken == "false" || taken == "False") return make(line, 0, Constant{Value(false)});
  if (taken == "none" || taken == "None") return make(line, 0, Constant{Value()});
  used_varargs_ = used_varargs_ || taken == "varargs";
  used_kwargs_ = used_kwargs_ || taken == "kwargs";
  return make(line, 0, Variable{std::move(taken)});
}

ExprPtr ExpressionParser::parse_parentheses() {
  const int line = current().line;
  expect_op("(");
  if (accept_op(")")) return make(line, 0, ListLiteral{{}, ListKind::tuple});
  ExprPtr value = parse_tuple();
  expect_op(")");
  return value;
}

ExprPtr ExpressionParser::parse_list() {
  const int line = current().line;
  expect_op("[");
  std::vector<ExprPtr> items;
  while (!accept_op("]")) {
    if (!items.empty()) expect_op(",");
    if (accept_op("]")) break;
    items.push_back(parse_expression());
  }
  const int below = height(items);
  return make(line, below, ListLiteral{std::move(items), ListKind::list});
}

ExprPtr ExpressionParser::parse_dict() {
  const int line = current().line;
  expect_op("{");
  std::vector<std::pair<ExprPtr, ExprPtr>> items;
  int below = 0;
  while (!accept_op("}")) {
    if (!items.empty()) expect_op(",");
    if (accept_op("}")) break;
    ExprPtr key = parse_expression();
    expect_op(":");
    ExprPtr value = parse_expression();
    below = std::max({below, height(key), height(value)});
    items.emplace_back(std::move(key), std::move(value));
  }
  return make(line, below, DictLiteral{std::move(items)});
}

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
  std::vector<ExprPtr> parts;  // begin:end:step
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

// A test may take one argument without parentheses: x is divisibleby 3.
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
