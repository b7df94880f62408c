// SPDX-License-Identifier: MIT
// Reads fields of JSON from other programs. A field that is missing or has the wrong type is
// treated as absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace confab::engine {

using base::Json;

// How half a surrogate pair is treated: it becomes U+FFFD, or is kept for base::HalfJoiner to join.
enum class Halves { replace, keep };
// Parses leniently (base::JsonRules). nullopt if the text is not JSON; null if it exceeds the
// limits.
std::optional<Json> parse_json(std::string_view text, Halves halves = Halves::replace);
// The value under this key, or under these nested keys: "usage", "prompt_tokens". nullptr if it is
// missing or null.
const Json* field(const Json& json, std::string_view key) noexcept;
const Json* field(const Json& json, std::string_view key, std::string_view inner) noexcept;
const Json* field(const Json* json, std::string_view key) noexcept;
// These take a result of field().
std::string text_of(const Json* json);                   // empty if it is not a text
std::optional<std::int64_t> whole_of(const Json* json);  // only numbers of at least 0
std::optional<double> number_of(const Json* json);
int count_of(const Json* json);  // 0 if it is not a count
bool is_true(const Json* json) noexcept;

}  // namespace confab::engine
