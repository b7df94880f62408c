// SPDX-License-Identifier: MIT
// Matches the arguments of a call with the parameters of a function.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

// Counts the strings among the operands as work.
void count_operands(Runtime& runtime, const Value& self, const Arguments& arguments);

// A built-in function that a template can call. Each call counts all the strings passed to it as
// work, so a function that is linear in them need only count what it produces or reads besides.
template <class Result>
class Builtin {
 public:
  using Plain = Result (*)(Runtime&, const Value& self, const Arguments&);
  constexpr Builtin() = default;  // no function
  constexpr Builtin(Plain plain) : plain_(plain) {}
  explicit operator bool() const noexcept { return plain_ != nullptr; }

  Result operator()(Runtime& runtime, const Value& self, const Arguments& arguments) const {
    count_operands(runtime, self, arguments);
    return plain_(runtime, self, arguments);
  }

 private:
  Plain plain_ = nullptr;
};

// A filter, a method, or a global function, for which self is None.
using Function = Builtin<Value>;
struct NamedFunction {
  std::string_view name;
  Function function;
};

class Bound {
 public:
  // `function` is the name in error messages. Throws ModelError for too many arguments, unknown
  // names, and a parameter that is given twice. All views must outlive the object.
  Bound(Runtime& runtime, std::string_view function, const Arguments& arguments,
        std::initializer_list<std::string_view> parameters);

  // Whether parameter `i` was given. text_or(), integer_or() and flag_or() treat None as not given.
  bool has(std::size_t i) const { return values_[i].has_value(); }
  // Throw ModelError if the argument is missing or has another type.
  const Value& value(std::size_t i) const;
  const Text& text(std::size_t i) const;
  std::int64_t integer(std::size_t i) const;
  // The same, with a fallback if the argument is missing.
  Value value_or(std::size_t i, Value fallback) const { return values_[i].value_or(fallback); }
  Text text_or(std::size_t i, std::string_view fallback) const;
  std::int64_t integer_or(std::size_t i, std::int64_t fallback) const;
  bool flag_or(std::size_t i, bool fallback) const;

 private:
  bool given(std::size_t i) const { return has(i) && !values_[i]->is_none(); }
  [[noreturn]] void fail_type(std::size_t i, std::string_view expected) const;

  Runtime& runtime_;
  std::string_view function_;
  std::vector<std::string_view> parameters_;
  std::vector<std::optional<Value>> values_;
};

}  // namespace confab::engine::jinja
