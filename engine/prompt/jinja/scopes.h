// SPDX-License-Identifier: MIT
// Guards of the interpreter that undo on leaving what they did on entering.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/prompt/jinja/interpreter.h"

namespace confab::engine::jinja {

// A level of recursion in the interpreter. Nesting, macro depth and the height of expressions are
// bounded each, but not their product; this bounds the stack.
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

// A new frame over `parent` while it lives.
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

// A macro or a loop that is called: in a scope over `parent`, at a depth that is bounded.
class Interpreter::CallScope {
 public:
  // fault: "macros call each other".
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

}  // namespace confab::engine::jinja
