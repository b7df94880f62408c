// SPDX-License-Identifier: MIT
// Error replies of engines: a JSON error object, nested or flat, or plain text.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "engine/remote/http_client.h"
#include "engine/remote/json_fields.h"

namespace confab::engine {

struct ErrorReply {
  std::string message = {};  // one line; untrusted
  bool prompt_too_long = false;
};

// The error in a message of a stream or in a body; nullopt if it is not an error.
std::optional<ErrorReply> error_in(const Json& json);
// The error in a response whose status is not 200, in one line: "it has no model gemma4 (404)".
ErrorReply refusal_of(const HttpHead& head, std::string_view body);

// How long to wait before repeating a request after status 503 (a model is being loaded) or 429.
// nullopt if repeating it would not help. `tries`: how often it has been sent already.
std::optional<std::chrono::seconds> retry_after(const HttpHead& head, int tries);

}  // namespace confab::engine
