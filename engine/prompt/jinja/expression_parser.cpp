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

// Levels of one expression, which also grow with a chain: a + b + c is three high.
constexpr int kMaxHeight = 256;

}  // namespace

int height(const ExprPtr& expr) {
  return expr == nullptr ? 0 : expr->height;
}

int height(const std::vector<ExprPtr>& exprs) {
  int highest = 0;
  for (const ExprPtr& expr : exprs) highest = std::max(highest, height(expr));
  return highest;
}

// Counts a level of recursion while it lives.
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

}  // namespace confab::engine::jinja
