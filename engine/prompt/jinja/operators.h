// SPDX-License-Identifier: MIT
// The operators of expressions, including attribute access and subscripts.
#pragma once

#include <optional>
#include <string_view>

#include "engine/prompt/jinja/ast.h"
#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

// All of these throw ModelError for unsupported types and for undefined operands.
Value apply(Runtime& runtime, BinaryOp op, const Value& left, const Value& right);
Value negate(Runtime& runtime, const Value& value);
bool compare(Runtime& runtime, CompareOp op, const Value& left, const Value& right);

// object.name: looks for a method or attribute first, then for a key. Returns undefined if there is
// neither.
Value attribute(Runtime& runtime, const Value& object, std::string_view name);
// object[key]: looks for an element first, then for a method or attribute. Returns undefined if
// there is neither.
Value subscript(Runtime& runtime, const Value& object, const Value& key);
// The element or attribute at `path`: text like "a.b", or a number. Undefined if there is none.
Value attribute_path(Runtime& runtime, const Value& item, const Value& path);

// The bounds of object[begin:end:step]. None means that the bound is missing.
struct SliceBounds {
  Value begin;
  Value end;
  Value step;
};
Value slice(Runtime& runtime, const Value& object, const SliceBounds& bounds);

// callee(arguments).
Value call(Runtime& runtime, const Value& callee, const Arguments& arguments);

}  // namespace confab::engine::jinja
