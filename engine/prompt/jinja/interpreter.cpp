// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/prompt/jinja/builtins/filters.h"
#include "engine/prompt/jinja/builtins/globals.h"
#include "engine/prompt/jinja/builtins/methods.h"
#include "engine/prompt/jinja/operators.h"
#include "engine/prompt/jinja/repr.h"

namespace confab::engine::jinja {

// Counts a level of recursion in the interpreter. Nesting, macro depth and the height of
// expressions are each bounded, but their product is not; this bounds the stack.
class Interpreter::Recursion {
 public:
  explicit Recursion(Interpreter& interpreter) : level_(interpreter.recursion_) {
    if (level_ >= kMaxRecursion) interpreter.runtime_.fail("the template nests too deep");
    ++level_;
  }
  ~Recursion() { --level_; }
  Recursion(const Recursion&) = delete;
  Recursion& operator=(const Recursion&) = delete;

 private:
  static constexpr int kMaxRecursion = 1000;
  int& level_;
};

// Makes a new frame over `parent` current while it exists.
class Interpreter::Scope {
 public:
  Scope(Interpreter& interpreter, std::shared_ptr<Frame> parent)
      : interpreter_(interpreter), outer_(interpreter.frame_) {
    interpreter.frame_ = std::make_shared<Frame>(Frame{{}, std::move(parent)});
  }
  ~Scope() { interpreter_.frame_ = std::move(outer_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Interpreter& interpreter_;
  std::shared_ptr<Frame> outer_;
};

// The call of a macro or a loop: a scope over `parent`, at a bounded depth. It restores the line
// number at the end.
class Interpreter::CallScope {
 public:
  // fault: for example "macros call each other".
  CallScope(Interpreter& interpreter, const std::string& fault, std::shared_ptr<Frame> parent)
      : interpreter_(interpreter),
        line_(interpreter.runtime_.line()),
        scope_(interpreter, std::move(parent)) {
    if (++interpreter.call_depth_ > kMaxNesting) {
      interpreter.runtime_.fail(fault + " deeper than " + std::to_string(kMaxNesting));
    }
  }
  ~CallScope() {
    --interpreter_.call_depth_;
    interpreter_.runtime_.at(line_);
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  Interpreter& interpreter_;
  int line_;
  Scope scope_;
};

Interpreter::Interpreter(Runtime& runtime, std::map<std::string, Value, std::less<>> variables)
    : runtime_(runtime), root_(std::make_shared<Frame>()), frame_(root_) {
  root_->variables = std::move(variables);
}

Text Interpreter::run(const Block& program) {
  execute(program);
  return std::move(out_);
}

void Interpreter::emit(const Text& text) {
  runtime_.work(text.cost());
  if (out_.size() + text.size() > runtime_.output_bytes()) {
    runtime_.fail(fmt::format("the output is longer than {} bytes", runtime_.output_bytes()));
  }
  out_.append(text);
}

Text Interpreter::capture(const Block& body) {
  return capture_from([&] {
    const Scope scope(*this, frame_);
    execute(body);
  });
}

Interpreter::Flow Interpreter::execute(const Block& block) {
  const Recursion recursion(*this);
  for (const auto& statement : block) {
    const Flow flow = execute(*statement);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const Stmt& statement) {
  runtime_.at(statement.line);
  runtime_.step();
  return std::visit([this](const auto& node) { return execute(node); }, statement.node);
}

Interpreter::Flow Interpreter::execute(const Data& data) {
  emit(Text(data.text));
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const Output& output) {
  const Value value = evaluate(*output.value);
  emit(value.is_text() ? value.text() : to_text(runtime_, value));
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const If& statement) {
  for (const auto& [condition, block] : statement.branches) {
    if (evaluate(*condition).truth()) return execute(block);
  }
  return execute(statement.otherwise);
}

// The items that pass the loop's condition.
std::vector<Value> Interpreter::chosen_items(const For& statement, std::vector<Value> items) {
  if (statement.condition == nullptr) return items;
  std::vector<Value> chosen;
  for (Value& item : items) {
    const Scope scope(*this, frame_);
    assign(statement.target, item);
    if (evaluate(*statement.condition).truth()) chosen.push_back(std::move(item));
  }
  return chosen;
}

Interpreter::Flow Interpreter::execute(const For& statement) {
  return run_loop(statement, elements(runtime_, evaluate(*statement.iterable)), 0);
}

Value Interpreter::recurse(const For& statement, std::vector<Value> items, int depth0,
                           std::shared_ptr<Frame> outer) {
  Text text;
  {
    const CallScope scope(*this, "a loop calls itself", std::move(outer));
    text = capture_from([&] { run_loop(statement, std::move(items), depth0); });
  }
  return runtime_.text(std::move(text));
}

Interpreter::Flow Interpreter::run_loop(const For& statement, std::vector<Value> items,
                                        int depth0) {
  items = chosen_items(statement, std::move(items));
  if (items.empty()) {
    const Scope scope(*this, frame_);
    return execute(statement.otherwise);
  }
  runtime_.work(items.size() * sizeof(Value));
  Loop::Recurse recurse_into;
  if (statement.recursive) {
    recurse_into = [this, &statement, weak = std::weak_ptr<Frame>(frame_)](
                       const std::vector<Value>& inner, int inner_depth0) {
      const std::shared_ptr<Frame> outer = weak.lock();
      return recurse(statement, inner, inner_depth0, outer == nullptr ? root_ : outer);
    };
  }
  auto& loop = runtime_.object<Loop>(std::move(items), depth0, std::move(recurse_into));
  while (loop.advance()) {
    runtime_.step();
    const Scope scope(*this, frame_);
    frame_->variables.emplace("loop", loop);
    assign(statement.target, loop.item());
    if (execute(statement.body) == Flow::leave_loop) break;
  }
  return Flow::next;
}

void Interpreter::assign_tuple(const Target& target, const Value& value) {
  const std::vector<Value> items = elements(runtime_, value);
  if (items.size() != target.items.size()) {
    runtime_.fail(
        fmt::format("found {} values to unpack, expected {}", items.size(), target.items.size()));
  }
  runtime_.step(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) assign(target.items[i], items[i]);
}

void Interpreter::assign(const Target& target, Value value) {
  if (!target.items.empty()) return assign_tuple(target, value);
  if (!target.attribute) {
    frame_->variables.insert_or_assign(target.name, std::move(value));
    return;
  }
  Object* object = lookup(target.name).object();
  if (object == nullptr || !object->can_assign()) {
    runtime_.fail("cannot assign attribute on non-namespace object");
  }
  runtime_.work(target.attribute->size() + sizeof(Value));
  object->assign(*target.attribute, std::move(value));
}

Interpreter::Flow Interpreter::execute(const Set& statement) {
  assign(statement.target, evaluate(*statement.value));
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const SetBlock& statement) {
  Text text = capture(statement.body);
  assign(statement.target, statement.filters == nullptr
                               ? runtime_.text(std::move(text))
                               : filter_text(*statement.filters, std::move(text)));
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const Macro& statement) {
  frame_->variables.insert_or_assign(statement.definition.name, make_macro(statement.definition));
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const CallBlock& statement) {
  const Value caller = make_macro(statement.caller);
  emit(to_text(runtime_, evaluate_call(std::get<Call>(statement.call->node), &caller)));
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const FilterBlock& statement) {
  emit(to_text(runtime_, filter_text(*statement.filters, capture(statement.body))));
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const With& statement) {
  std::vector<Value> values;
  for (const auto& variable : statement.variables) values.push_back(evaluate(*variable.second));
  const Scope scope(*this, frame_);
  for (std::size_t i = 0; i < values.size(); ++i) {
    assign(statement.variables[i].first, std::move(values[i]));
  }
  return execute(statement.body);
}

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
  // A method is called directly, without making a callable value first.
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

// The macro must not keep its frame alive, because the frame holds the macro. A macro that outlives
// its frame sees only the template's variables.
Value Interpreter::make_macro(const MacroBody& macro) {
  return runtime_.callable(macro.name, [this, &macro, weak = std::weak_ptr<Frame>(frame_)](
                                           Runtime&, const Arguments& arguments) {
    const std::shared_ptr<Frame> closure = weak.lock();
    return call_macro(macro, closure == nullptr ? root_ : closure, arguments);
  });
}

Value Interpreter::call_macro(const MacroBody& macro, std::shared_ptr<Frame> closure,
                              const Arguments& arguments) {
  Text text;
  {
    const CallScope scope(*this, "macros call each other", std::move(closure));
    bind_parameters(macro, arguments);
    text = capture(macro.body);
  }
  return runtime_.text(std::move(text));
}

// Binds the named arguments. Names that are not parameters go into `kwargs`.
void Interpreter::bind_named(const MacroBody& macro, const Arguments& arguments) {
  auto& variables = frame_->variables;
  const auto is_parameter = [&macro](std::string_view name) {
    return name == "caller" || std::any_of(macro.parameters.begin(), macro.parameters.end(),
                                           [&](const Parameter& p) { return p.name == name; });
  };
  DictBuilder rest;
  for (const auto& [name, value] : arguments.named) {
    runtime_.work(name.size() + macro.parameters.size());
    if (is_parameter(name)) {
      if (!variables.emplace(name, value).second) {
        runtime_.fail(fmt::format("macro '{:.40}': '{:.40}' is given twice", macro.name, name));
      }
    } else if (macro.uses_kwargs) {
      rest.set(runtime_, Value::plain(name), value);
    } else {
      runtime_.fail(
          fmt::format("macro '{:.40}' takes no keyword argument '{:.40}'", macro.name, name));
    }
  }
  if (macro.uses_kwargs) variables.insert_or_assign("kwargs", runtime_.dict(std::move(rest)));
}

void Interpreter::bind_parameters(const MacroBody& macro, const Arguments& arguments) {
  runtime_.step(macro.parameters.size());
  auto& variables = frame_->variables;
  const std::size_t n_direct = std::min(arguments.positional.size(), macro.parameters.size());
  for (std::size_t i = 0; i < n_direct; ++i) {
    variables.insert_or_assign(macro.parameters[i].name, arguments.positional[i]);
  }
  if (arguments.positional.size() > n_direct && !macro.uses_varargs) {
    runtime_.fail(fmt::format("macro '{:.40}' takes not more than {} argument(s)", macro.name,
                              macro.parameters.size()));
  }
  bind_named(macro, arguments);
  for (const Parameter& parameter : macro.parameters) {
    if (variables.contains(parameter.name)) continue;
    Value value =
        parameter.fallback != nullptr
            ? evaluate(*parameter.fallback)
            : Value::undefined(fmt::format("parameter '{}' was not provided", parameter.name));
    variables.insert_or_assign(parameter.name, std::move(value));
  }
  if (macro.uses_varargs) {
    const auto first = arguments.positional.begin() + static_cast<std::ptrdiff_t>(n_direct);
    variables.insert_or_assign("varargs",
                               runtime_.list({first, arguments.positional.end()}, ListKind::tuple));
  }
}

}  // namespace confab::engine::jinja
