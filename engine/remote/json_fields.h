// SPDX-License-Identifier: MIT
// Fields of JSON that another program has sent: one that is not there, or is of another kind than
// it should be, is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace confab::engine {

using base::Json;

// What becomes of half a surrogate pair: U+FFFD, or what base::HalfJoiner puts together.
enum class Halves { replace, keep };
// nullopt: it is not JSON. Read leniently (base::JsonRules); what is beyond the limits of that is
// null.
std::optional<Json> parse_json(std::string_view text, Halves halves = Halves::replace);
// What stands behind these keys, one in the other: "usage", "prompt_tokens"; nullptr: nothing, or
// null.
const Json* field(const Json& json, std::string_view key) noexcept;
const Json* field(const Json& json, std::string_view key, std::string_view inner) noexcept;
const Json* field(const Json* json, std::string_view key) noexcept;
// Of what field() gives.
std::string text_of(const Json* json);                   // empty: it is no text
std::optional<std::int64_t> whole_of(const Json* json);  // of a number that is at least 0
std::optional<double> number_of(const Json* json);
int count_of(const Json* json);  // 0: it is none
bool is_true(const Json* json) noexcept;

}  // namespace confab::engine
