// SPDX-License-Identifier: MIT
#include "engine/remote/message_stream.h"

#include <fmt/format.h>

#include "engine/error.h"

namespace confab::engine {

void MessageStream::push(std::string_view bytes, AnswerPart& part) {
  std::vector<std::string> messages;
  messages_.push(bytes, messages);
  take_all(messages, part);
  join_halves(part);
  // What comes behind the end counts for nothing, in one piece with it or not.
  if (!messages_.fault().empty() && !facts_.error && !facts_.is_whole)
    facts_.error = {messages_.fault()};
}

void MessageStream::finish(AnswerPart& part) {
  std::vector<std::string> messages;
  messages_.finish(messages);
  take_all(messages, part);
  take_end(part);
  join_halves(part);
  part.text += text_.finish();
  part.reasoning += reasoning_.finish();
  if (facts_.odd.empty()) facts_.odd = messages_.odd();
}

void MessageStream::join_halves(AnswerPart& part) {
  part.text = text_.push(part.text);
  part.reasoning = reasoning_.push(part.reasoning);
}

void MessageStream::take_all(const std::vector<std::string>& messages, AnswerPart& part) {
  constexpr std::string_view kBlanks = " \t";
  for (const std::string& message : messages) {
    if (facts_.error || facts_.is_whole) return;  // so that no cut of the bytes matters
    const std::size_t begin = message.find_first_not_of(kBlanks);
    const std::string_view trimmed =
        std::string_view(message).substr(begin, message.find_last_not_of(kBlanks) + 1 - begin);
    if (trimmed == "[DONE]") {
      facts_.is_whole = true;
      continue;
    }
    const auto json = parse_json(trimmed, Halves::keep);
    // "ping" says nothing; half a message does.
    if (!json && is_harmless(trimmed)) {
      facts_.odd = printable(trimmed);
      continue;
    }
    if (!json) {
      facts_.error = {fmt::format("it sent what is not JSON: {}", printable(trimmed))};
      return;
    }
    if (auto error = error_in(*json))
      facts_.error = std::move(error);
    else
      take(*json, part);
  }
}

std::string MessageStream::take_content(const Json* content, AnswerPart& part) {
  if (content == nullptr) return {};
  if (const std::string* text = content->as_text()) return *text;
  std::string text;
  for (const Json& one : content->elements()) {
    if (const std::string* plain = one.as_text()) {
      text += *plain;
    } else if (const Json* said = field(one, "text"); said != nullptr && said->is_string()) {
      text += text_of(said);
    } else if (const Json* thought = field(one, "thinking")) {
      const std::string all = take_content(thought, part);
      part.reasoning += all;
      part.n_pieces += static_cast<int>(!all.empty());
    } else {
      facts_.unknown_content = one.text_at("type").empty() ? one.type_name() : one.text_at("type");
    }
  }
  if (!content->is_array()) facts_.unknown_content = content->type_name();
  return text;
}

}  // namespace confab::engine
