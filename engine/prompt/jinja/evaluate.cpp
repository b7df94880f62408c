// SPDX-License-Identifier: MIT
// The expressions of Interpreter.
#include <fmt/format.h>

#include "engine/prompt/jinja/builtins/filters.h"
#include "engine/prompt/jinja/builtins/globals.h"
#include "engine/prompt/jinja/builtins/methods.h"
#include "engine/prompt/jinja/builtins/tests.h"
#include "engine/prompt/jinja/interpreter.h"
#include "engine/prompt/jinja/operators.h"
#include "engine/prompt/jinja/repr.h"
#include "engine/prompt/jinja/scopes.h"
#include "engine/prompt/jinja/text_builder.h"

namespace confab::engine::jinja {

Value Interpreter::evaluate(const Expr& expr) {
  const Recursion recursion(*this);
  runtime_.step();
  runtime_.at(expr.line);
  return std::visit([this](const auto& node) { return evaluate(node); }, expr.node);
}

Value Interpreter::lookup(std::string_view name) {
  for (const Frame* frame = frame_.get(); frame != nullptr; frame = frame->parent.get()) {
    const auto found = frame->variables.find(name);
    if (found != frame->variables.end()) return found->second;
  }
  if (auto global = find_global(runtime_, name)) return *global;
  return undefined_name(name);
}

Value Interpreter::evaluate(const ListLiteral& literal) {
  std::vector<Value> items;
  for (const ExprPtr& item : literal.items) items.push_back(evaluate(*item));
  return runtime_.list(std::move(items), literal.kind);
}

Value Interpreter::evaluate(const DictLiteral& literal) {
  DictBuilder built;
  for (const auto& [key, value] : literal.items) {
    const Value evaluated_key = evaluate(*key);
    built.set(runtime_, evaluated_key, evaluate(*value));
  }
  return runtime_.dict(std::move(built));
}

Value Interpreter::evaluate(const Attribute& access) {
  return attribute(runtime_, evaluate(*access.object), access.name);
}

Value Interpreter::evaluate(const Subscript& access) {
  const Value object = evaluate(*access.object);
  return subscript(runtime_, object, evaluate(*access.key));
}

Value Interpreter::evaluate(const Slice& access) {
  const Value object = evaluate(*access.object);
  const auto bound = [this](const ExprPtr& expr) {
    return expr == nullptr ? Value() : evaluate(*expr);
  };
  const Value begin = bound(access.begin);
  const Value end = bound(access.end);
  return slice(runtime_, object, {begin, end, bound(access.step)});
}

Arguments Interpreter::evaluate_arguments(const CallArguments& arguments) {
  Arguments evaluated;
  for (const ExprPtr& value : arguments.positional) {
    evaluated.positional.push_back(evaluate(*value));
  }
  for (const auto& [name, value] : arguments.named) {
    evaluated.named.emplace_back(name, evaluate(*value));
  }
  if (arguments.star != nullptr) {
    for (Value& value : elements(runtime_, evaluate(*arguments.star))) {
      evaluated.positional.push_back(std::move(value));
    }
  }
  if (arguments.double_star == nullptr) return evaluated;
  const Value more = evaluate(*arguments.double_star);
  if (more.dict() == nullptr) runtime_.fail("expected a mapping after **");
  for (const auto& [key, value] : more.dict()->items) {
    if (!key.is_text()) runtime_.fail("keywords must be strings");
    runtime_.work(key.text().size() + sizeof(Value));
    evaluated.named.emplace_back(key.text().view(), value);
  }
  return evaluated;
}

Value Interpreter::evaluate_call(const Call& called, const Value* caller) {
  const int line = runtime_.line();
  const auto arguments_of = [&] {
    Arguments arguments = evaluate_arguments(called.arguments);
    if (caller != nullptr) arguments.named.emplace_back("caller", *caller);
    runtime_.at(line);
    return arguments;
  };
  // A method is called without making a value of it.
  if (const auto* access = std::get_if<Attribute>(&called.callee->node)) {
    const Value self = evaluate(*access->object);
    if (const Function method = find_method(self, access->name)) {
      return method(runtime_, self, arguments_of());
    }
    const Value callee = attribute(runtime_, self, access->name);
    return call(runtime_, callee, arguments_of());
  }
  const Value callee = evaluate(*called.callee);
  return call(runtime_, callee, arguments_of());
}

Value Interpreter::evaluate(const Filter& filter) {
  const int line = runtime_.line();
  const Value operand =
      filter.operand == nullptr ? std::exchange(filter_input_, Value()) : evaluate(*filter.operand);
  const Arguments arguments = evaluate_arguments(filter.arguments);
  runtime_.at(line);
  return find_filter(runtime_, filter.name)(runtime_, operand, arguments);
}

Value Interpreter::filter_text(const Expr& filters, Text text) {
  filter_input_ = runtime_.text(std::move(text));
  return evaluate(filters);
}

Value Interpreter::evaluate(const Test& test) {
  const Value operand = evaluate(*test.operand);
  const Arguments arguments = evaluate_arguments(test.arguments);
  return find_test(runtime_, test.name)(runtime_, operand, arguments) != test.negated;
}

Value Interpreter::evaluate(const Unary& unary) {
  const Value operand = evaluate(*unary.operand);
  if (unary.op == UnaryOp::logical_not) return !operand.truth();
  if (operand.is_undefined()) runtime_.fail(operand.undefined_message());
  if (!operand.is_number()) {
    runtime_.fail(fmt::format("bad operand type for a sign: '{}'", operand.type_name()));
  }
  if (unary.op == UnaryOp::negate) return negate(runtime_, operand);
  return operand.is_bool() ? Value(*operand.integer()) : operand;
}

Value Interpreter::evaluate(const Binary& binary) {
  const Value left = evaluate(*binary.left);
  return apply(runtime_, binary.op, left, evaluate(*binary.right));
}

Value Interpreter::evaluate(const Concat& concat) {
  TextBuilder joined(runtime_);
  for (const ExprPtr& part : concat.parts) joined.append(to_text(runtime_, evaluate(*part)));
  return std::move(joined).finish();
}

Value Interpreter::evaluate(const Logic& logic) {
  Value left = evaluate(*logic.left);
  return left.truth() == logic.is_and ? evaluate(*logic.right) : left;
}

Value Interpreter::evaluate(const Compare& comparison) {
  Value left = evaluate(*comparison.first);
  for (const auto& [op, operand] : comparison.rest) {
    Value right = evaluate(*operand);
    if (!compare(runtime_, op, left, right)) return false;
    left = std::move(right);
  }
  return true;
}

Value Interpreter::evaluate(const Conditional& conditional) {
  if (evaluate(*conditional.condition).truth()) return evaluate(*conditional.value);
  if (conditional.otherwise != nullptr) return evaluate(*conditional.otherwise);
  return Value::undefined(
      "the inline if-expression evaluated to false and no else section was "
      "defined.");
}

}  // namespace confab::engine::jinja
