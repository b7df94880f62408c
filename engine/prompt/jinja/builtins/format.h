// SPDX-License-Identifier: MIT
// Python's two ways to format a string: '%s' % x and '{}'.format(x).
#pragma once

#include "engine/prompt/jinja/text.h"
#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

// `arguments` is a tuple, a dict for %(name)s, or one value.
Value format_percent(Runtime& runtime, const Text& pattern, const Value& arguments);
Value format_braces(Runtime& runtime, const Text& pattern, const Arguments& arguments);

}  // namespace confab::engine::jinja
