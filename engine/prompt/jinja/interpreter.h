// SPDX-License-Identifier: MIT
// Runs a parsed template. Confined to one rendering; the template and the runtime must outlive it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/prompt/jinja/ast.h"
#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/text.h"
#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

// The variables of one scope: the template, a macro call, one iteration of a loop, or a block.
struct Frame {
  std::map<std::string, Value, std::less<>> variables;
  std::shared_ptr<Frame> parent;
};

class Interpreter {
 public:
  Interpreter(Runtime& runtime, std::map<std::string, Value, std::less<>> variables);

  // Throws ModelError "line N: ..." if the template has an error or exceeds a limit.
  Text run(const Block& program);

 private:
  enum class Flow { next, leave_loop, next_turn };
  class Recursion;
  class Scope;
  class CallScope;

  void emit(const Text& text);
  // capture() returns the output of `body`, run in a new scope. capture_from() returns the output
  // of body().
  Text capture(const Block& body);
  template <class Body>
  Text capture_from(const Body& body) {
    Text outer = std::exchange(out_, Text());
    body();
    return std::exchange(out_, std::move(outer));
  }
  Flow execute(const Block& block);
  Flow execute(const Stmt& statement);
  Flow execute(const Data& data);
  Flow execute(const Output& output);
  Flow execute(const If& statement);
  Flow execute(const For& statement);
  Flow execute(const Set& statement);
  Flow execute(const SetBlock& statement);
  Flow execute(const Macro& statement);
  Flow execute(const CallBlock& statement);
  Flow execute(const FilterBlock& statement);
  Flow execute(const With& statement);
  Flow execute(const Break&) { return Flow::leave_loop; }
  Flow execute(const Continue&) { return Flow::next_turn; }
  std::vector<Value> chosen_items(const For& statement, std::vector<Value> items);
  Flow run_loop(const For& statement, std::vector<Value> items, int depth0);
  // Implements loop(items) in a recursive loop. `outer` is the frame around the loop.
  Value recurse(const For& statement, std::vector<Value> items, int depth0,
                std::shared_ptr<Frame> outer);
  void assign(const Target& target, Value value);
  void assign_tuple(const Target& target, const Value& value);

  Value evaluate(const Expr& expr);
  Value evaluate(const Constant& constant) { return constant.value; }
  Value evaluate(const Variable& variable) { return lookup(variable.name); }
  Value evaluate(const ListLiteral& literal);
  Value evaluate(const DictLiteral& literal);
  Value evaluate(const Attribute& access);
  Value evaluate(const Subscript& access);
  Value evaluate(const Slice& access);
  Value evaluate(const Call& call) { return evaluate_call(call, nullptr); }
  Value evaluate(const Filter& filter);
  Value evaluate(const Test& test);
  Value evaluate(const Unary& unary);
  Value evaluate(const Binary& binary);
  Value evaluate(const Concat& concat);
  Value evaluate(const Logic& logic);
  Value evaluate(const Compare& comparison);
  Value evaluate(const Conditional& conditional);
  Value lookup(std::string_view name);
  // `caller` is the body of a call block, or null.
  Value evaluate_call(const Call& call, const Value* caller);
  Arguments evaluate_arguments(const CallArguments& arguments);
  // Applies a chain of filters to captured text.
  Value filter_text(const Expr& filters, Text text);

  Value make_macro(const MacroBody& macro);
  Value call_macro(const MacroBody& macro, std::shared_ptr<Frame> closure,
                   const Arguments& arguments);
  void bind_parameters(const MacroBody& macro, const Arguments& arguments);
  void bind_named(const MacroBody& macro, const Arguments& arguments);

  Runtime& runtime_;
  std::shared_ptr<Frame> root_;
  std::shared_ptr<Frame> frame_;
  Text out_;
  Value filter_input_;
  int recursion_ = 0;
  int call_depth_ = 0;
};

}  // namespace confab::engine::jinja
