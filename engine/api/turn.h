// SPDX-License-Identifier: MIT
// A conversation as the model receives it, and settings for its chat template.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/token.h"

namespace confab::engine {

struct ChatMessage {
  std::string role;  // "system", "user", "assistant", ...
  std::string content;
  std::string reasoning = {};  // of an earlier answer; under the key that the template reads
};

struct Turn {
  ChatMessage message;
  std::vector<Token> tokens = {};  // an answer's tokens as sampled; empty: tokenise the content
  int answer_begin = 0;            // index of the first token after the reasoning; -1: not known
};

// Values that a template may ask for besides the messages.
struct TemplateSettings {
  // The local time that strftime_now() formats; nullopt: the clock's. It stays the same for all
  // requests of a conversation. Otherwise a new day would change the prompt and make its cache
  // useless.
  std::optional<std::chrono::sys_seconds> now = {};
  // Sets the variables enable_thinking and thinking. nullopt leaves them undefined, so that the
  // template decides.
  std::optional<bool> thinking = {};
  bool operator==(const TemplateSettings&) const = default;
};

}  // namespace confab::engine
