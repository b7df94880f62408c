// SPDX-License-Identifier: MIT
// Parses Jinja source into statements.
#pragma once

#include <string_view>

#include "engine/prompt/jinja/ast.h"

namespace confab::engine::jinja {

// Throws ModelError "line N: ..." if the source is not valid Jinja or nests deeper than
// kMaxNesting.
Block parse(std::string_view source);

}  // namespace confab::engine::jinja
