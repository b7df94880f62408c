// SPDX-License-Identifier: MIT
// Jinja source to statements.
#pragma once

#include <string_view>

#include "engine/prompt/jinja/ast.h"

namespace confab::engine::jinja {

// Throws ModelError "line N: ..." for what is not Jinja, or nests deeper than kMaxNesting.
Block parse(std::string_view source);

}  // namespace confab::engine::jinja
