// SPDX-License-Identifier: MIT
// The tojson filter: Python's json.dumps.
#pragma once

#include <optional>
#include <string>

#include "engine/prompt/jinja/text.h"
#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

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
