// SPDX-License-Identifier: MIT
// What the model is told of a conversation, and how its template is to write it.
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
  std::vector<Token> tokens = {};  // of an answer, all as sampled; empty: tokenise the content
  int answer_begin = 0;            // the first of them after the reasoning; -1: not known
};

// What a template may ask for beside the messages.
struct TemplateSettings {
  // What strftime_now() formats, in local time; nullopt: the clock's. One for all requests of a
  // conversation: else a new day would be a new prompt, of which nothing is cached.
  std::optional<std::chrono::sys_seconds> now = {};
  // The variables enable_thinking and thinking; nullopt: undefined, so that the template decides.
  std::optional<bool> thinking = {};
  bool operator==(const TemplateSettings&) const = default;
};

}  // namespace confab::engine
