// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/interpreter.h"

#include <fmt/format.h>

#include <utility>

#include "engine/prompt/jinja/loop.h"
#include "engine/prompt/jinja/repr.h"
#include "engine/prompt/jinja/scopes.h"

namespace confab::engine::jinja {

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

// The elements that the loop's condition leaves.
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

}  // namespace confab::engine::jinja
