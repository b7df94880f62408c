// SPDX-License-Identifier: MIT
// What engines say when they refuse: an error object, nested or flat, or a text.
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

// Of a message of a stream, or of the body of an answer; nullopt: it is no error.
std::optional<ErrorReply> error_in(const Json& json);
// Of an answer that is not 200, in one line: "it has no model gemma4 (404)".
ErrorReply refusal_of(const HttpHead& head, std::string_view body);

// How long to wait before the same is asked again: 503 while a model is loaded, 429. nullopt: it
// would be no use. tries: how often it has been asked already.
std::optional<std::chrono::seconds> retry_after(const HttpHead& head, int tries);

}  // namespace confab::engine
