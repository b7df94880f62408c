// SPDX-License-Identifier: MIT
// Asks a chat model as a user interface does. A namespace of its own: generator_rig.h has answers
// too.
#pragma once

#include <poll.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "engine/api/chat_model.h"

namespace confab::engine::front {

struct Answer {
  std::string text;
  std::string reasoning;
  int n_deltas = 0;
  std::optional<Finished> end;
  std::string error;
};

// The next event, waited for as a user interface does; the test fails after a minute of none.
inline Event next(ChatModel& model) {
  for (;;) {
    if (auto event = model.next_event()) return std::move(event->event);
    pollfd entry{model.wake_fd(), POLLIN, 0};
    if (::poll(&entry, 1, 60000) != 1) throw std::runtime_error("no event came");
  }
}

inline Answer collect(ChatModel& model) {
  Answer answer;
  while (!answer.end && answer.error.empty()) {
    const Event event = next(model);
    if (const auto* text = std::get_if<TextDelta>(&event)) {
      answer.text += text->text;
      ++answer.n_deltas;
    }
    if (const auto* thought = std::get_if<ReasoningDelta>(&event)) {
      answer.reasoning += thought->text;
    }
    if (const auto* end = std::get_if<Finished>(&event)) answer.end = *end;
    if (const auto* failed = std::get_if<Failed>(&event)) answer.error = failed->message;
  }
  return answer;
}

inline GenerateRequest ask(const std::string& text, int n_predict) {
  GenerateRequest request{.turns = {{{"user", text}}}, .n_predict = n_predict};
  request.sampling.temperature = 0;
  return request;
}

}  // namespace confab::engine::front
