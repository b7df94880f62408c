// SPDX-License-Identifier: MIT
#include "engine/remote/message_stream.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/error.h"

namespace confab::engine {

void MessageStream::push(std::string_view bytes, AnswerPart& part) {
  std::vector<std::string> messages;
  messages_.push(bytes, messages);
  take_all(messages, part);
  if (!messages_.fault().empty() && !facts_.error) facts_.error = {messages_.fault()};
}

void MessageStream::finish(AnswerPart& part) {
  std::vector<std::string> messages;
  messages_.finish(messages);
  take_all(messages, part);
  take_end(part);
}

void MessageStream::take_all(const std::vector<std::string>& messages, AnswerPart& part) {
  for (const std::string& message : messages) {
    if (facts_.error) return;
    if (message == "[DONE]") {
      facts_.is_whole = true;
      continue;
    }
    const auto json = parse_json(message);
    if (!json) {
      facts_.error = {fmt::format("it sent what is not JSON: {}", printable(message))};
      return;
    }
    if (auto error = error_in(*json))
      facts_.error = std::move(error);
    else
      take(*json, part);
  }
}

}  // namespace confab::engine
