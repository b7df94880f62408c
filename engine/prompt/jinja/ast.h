// SPDX-License-Identifier: MIT
// The parsed template: statements and expressions, each with its line.
//
// `height` is the number of levels of an expression. The parser bounds it, so that walking a tree
// cannot exhaust the stack. Const after parsing, and shared by all renderings.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

struct Expr;
using ExprPtr = std::unique_ptr<const Expr>;

struct CallArguments {
  std::vector<ExprPtr> positional;
  std::vector<std::pair<std::string, ExprPtr>> named;
  ExprPtr star;         // *args, or null
  ExprPtr double_star;  // **kwargs, or null
};

struct Constant {
  Value value;
};
struct Variable {
  std::string name;
};
struct ListLiteral {
  std::vector<ExprPtr> items;
  ListKind kind;  // list or tuple
};
struct DictLiteral {
  std::vector<std::pair<ExprPtr, ExprPtr>> items;
};
struct Attribute {  // object.name
  ExprPtr object;
  std::string name;
};
struct Subscript {  // object[key]
  ExprPtr object;
  ExprPtr key;
};
struct Slice {  // object[begin:end:step]; each bound may be null
  ExprPtr object;
  ExprPtr begin;
  ExprPtr end;
  ExprPtr step;
};
struct Call {
  ExprPtr callee;
  CallArguments arguments;
};
struct Filter {     // operand | name(arguments)
  ExprPtr operand;  // null in a filter block, where it is the block's text
  std::string name;
  CallArguments arguments;
};
struct Test {  // operand is name(arguments)
  ExprPtr operand;
  std::string name;
  CallArguments arguments;
  bool negated;
};
enum class UnaryOp { negate, plus, logical_not };
struct Unary {
  UnaryOp op;
  ExprPtr operand;
};
enum class BinaryOp { add, subtract, multiply, divide, floor_divide, modulo, power };
struct Binary {
  BinaryOp op;
  ExprPtr left;
  ExprPtr right;
};
struct Concat {  // a ~ b ~ c
  std::vector<ExprPtr> parts;
};
struct Logic {  // and, or; the value is the first operand that decides
  bool is_and;
  ExprPtr left;
  ExprPtr right;
};
enum class CompareOp { equal, not_equal, less, less_equal, greater, greater_equal, in, not_in };
struct Compare {  // a < b <= c
  ExprPtr first;
  std::vector<std::pair<CompareOp, ExprPtr>> rest;
};
struct Conditional {  // value if condition else otherwise
  ExprPtr condition;
  ExprPtr value;
  ExprPtr otherwise;  // null means undefined
};

struct Expr {
  using Node =
      std::variant<Constant, Variable, ListLiteral, DictLiteral, Attribute, Subscript, Slice, Call,
                   Filter, Test, Unary, Binary, Concat, Logic, Compare, Conditional>;
  int line;
  int height;
  Node node;
};

struct Stmt;
using Block = std::vector<std::unique_ptr<const Stmt>>;

// The target of an assignment: a name, an attribute of a namespace, or a tuple of targets.
struct Target {
  std::string name;
  std::optional<std::string> attribute;
  std::vector<Target> items;  // not empty for a tuple
};

struct Parameter {
  std::string name;
  ExprPtr fallback;  // null if it is required
};

// A macro, or the body of a call block (its name is "caller").
struct MacroBody {
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  bool uses_varargs = false;
  bool uses_kwargs = false;
};

struct Data {
  std::string text;
};
struct Output {
  ExprPtr value;
};
struct If {
  std::vector<std::pair<ExprPtr, Block>> branches;
  Block otherwise;
};
struct For {
  Target target;
  ExprPtr iterable;
  ExprPtr condition;  // may be null
  Block body;
  Block otherwise;
  bool recursive = false;  // the body may call loop(items)
};
struct Set {
  Target target;
  ExprPtr value;
};
struct SetBlock {
  Target target;
  ExprPtr filters;  // may be null; a Filter whose innermost operand is null
  Block body;
};
struct Macro {
  MacroBody definition;
};
struct CallBlock {
  ExprPtr call;
  MacroBody caller;
};
struct FilterBlock {
  ExprPtr filters;
  Block body;
};
struct With {
  std::vector<std::pair<Target, ExprPtr>> variables;
  Block body;
};
struct Break {};
struct Continue {};

struct Stmt {
  int line;
  std::variant<Data, Output, If, For, Set, SetBlock, Macro, CallBlock, FilterBlock, With, Break,
               Continue>
      node;
};

}  // namespace confab::engine::jinja
