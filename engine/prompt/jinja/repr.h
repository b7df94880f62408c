// SPDX-License-Identifier: MIT
// How values look when they are printed: Python's str(), repr() and json.dumps().
#pragma once

#include <optional>
#include <string>

#include "engine/prompt/jinja/text.h"
#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

// Python's str(): a string is returned as it is, undefined is empty, and everything else is its
// repr(). A list or dict is marked as a whole if one of its strings is marked. The input is counted
// as work.
Text to_text(Runtime& runtime, const Value& value);
Text repr(Runtime& runtime, const Value& value);
// The shortest digits that read back as the same number, laid out like Python's ("1.0", "1e-05").
std::string float_repr(double value);

// The layout of the tojson filter's result, which follows Python's json.dumps().
struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  std::optional<std::string> indent;  // of one level; nullopt puts everything on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
};

// The JSON of `value`. It is marked as a whole if one of its strings is marked. Throws ModelError
// for a value that JSON cannot represent.
Text to_json(Runtime& runtime, const Value& value, const JsonStyle& style);

}  // namespace confab::engine::jinja
