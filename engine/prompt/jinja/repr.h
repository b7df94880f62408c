// SPDX-License-Identifier: MIT
// How values look when they are printed: Python's str() and repr().
#pragma once

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

}  // namespace confab::engine::jinja
