// SPDX-License-Identifier: MIT
// How values look when they are printed: Python's str(), repr() and json.dumps().
#pragma once

#include <optional>
#include <string>

#include "engine/prompt/jinja/text.h"
#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

// str(): a string is itself, undefined is nothing, all else is its repr(). A list or dict is marked
// as a whole when one of its strings is. What is given is counted as work.
Text to_text(Runtime& runtime, const Value& value);
Text repr(Runtime& runtime, const Value& value);
// The shortest digits that read back as the same number, laid out as Python does ("1.0", "1e-05").
std::string float_repr(double value);

// How the tojson filter, Python's json.dumps(), lays out its result.
struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  std::optional<std::string> indent;  // of one level; empty: all on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
};

// The JSON of `value`, marked as a whole when one of its strings is. Throws ModelError for what
// JSON cannot say.
Text to_json(Runtime& runtime, const Value& value, const JsonStyle& style);

}  // namespace confab::engine::jinja
