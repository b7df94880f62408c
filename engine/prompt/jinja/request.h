// SPDX-License-Identifier: MIT
// Parses a JSON request to render a template; see ChatTemplate::render_json().
#pragma once

#include <cstddef>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

// The maximum nesting of containers. It leaves room below kMaxNesting for lists that the template
// makes.
inline constexpr int kMaxRequestNesting = 48;

using Variables = std::map<std::string, Value, std::less<>>;

struct Request {
  // messages, tools, add_generation_prompt and the members of vars. Strings are marked as content
  // of their message or as kElsewhere. Integers beyond 64 bits become floats.
  Variables variables;
  std::size_t n_messages = 0;
  std::optional<std::tm> now;
};

// Throws ModelError "request: ..." with the fault.
Request parse_request(std::string_view json);

}  // namespace confab::engine::jinja
