// SPDX-License-Identifier: MIT
// A request for a rendering, in JSON: see ChatTemplate::render_json.
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

// Containers in containers; leaves room below kMaxNesting for lists that the template makes.
inline constexpr int kMaxRequestNesting = 48;

using Variables = std::map<std::string, Value, std::less<>>;

struct Request {
  // messages, tools, add_generation_prompt and what vars says. Strings are marked as content of
  // their message, or as from elsewhere. Integers beyond 64 bits become floats.
  Variables variables;
  std::size_t n_messages = 0;
  std::optional<std::tm> now;
};

// Throws ModelError "request: ..." that names what is wrong.
Request parse_request(std::string_view json);

}  // namespace confab::engine::jinja
