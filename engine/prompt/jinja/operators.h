// SPDX-License-Identifier: MIT
// What the operators, the dot and the brackets of an expression do to values.
#pragma once

#include <optional>
#include <string_view>

#include "engine/prompt/jinja/ast.h"
#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

// All throw ModelError for kinds the operation is not made for, and for undefined operands.
Value apply(Runtime& runtime, BinaryOp op, const Value& left, const Value& right);
Value negate(Runtime& runtime, const Value& value);
bool compare(Runtime& runtime, CompareOp op, const Value& left, const Value& right);

// object.name: a method or attribute first, then a key. Undefined when there is neither.
Value attribute(Runtime& runtime, const Value& object, std::string_view name);
// object[key]: an element first, then a method or attribute. Undefined when there is neither.
Value subscript(Runtime& runtime, const Value& object, const Value& key);
// The element or attribute at `path`: "a.b", or a number. Undefined when there is none.
Value attribute_path(Runtime& runtime, const Value& item, const Value& path);

// The bounds of object[begin:end:step]; None is as good as nothing.
struct SliceBounds {
  Value begin;
  Value end;
  Value step;
};
Value slice(Runtime& runtime, const Value& object, const SliceBounds& bounds);

// callee(arguments).
Value call(Runtime& runtime, const Value& callee, const Arguments& arguments);

}  // namespace confab::engine::jinja
