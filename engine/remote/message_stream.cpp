// SPDX-License-Identifier: MIT
#include "engine/remote/message_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/error.h"

namespace confab::engine {

bool is_harmless(std::string_view text) {
  constexpr std::size_t kMost = 100;
  return text.size() <= kMost && std::ranges::all_of(text, [](char c) {
           return c >= ' ' && c <= '~' &&
                  std::string_view("{}[]<>\"").find(c) == std::string_view::npos;
         });
}

void EventStream::push(std::string_view bytes, std::vector<std::string>& messages) {
  while (!bytes.empty() && fault_.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const bool begins_object =
        bytes.front() == '{' && line_.find_first_not_of(" \t\xEF\xBB\xBF") == std::string::npos;
    if (depth_ == 0 && begins_object) {
      line_.clear();
      at_begin_ = false;
      end_message(messages);
    }
    bytes.remove_prefix(depth_ > 0 || begins_object ? take_object(bytes, messages)
                                                    : take_line(bytes, messages));
    if (line_.size() + data_.size() + object_.size() > kMostBytes)
      fault_ = fmt::format("it sent a message of more than {} MiB", kMostBytes >> 20);
  }
}

// To the brace that closes it. Returns how many bytes that takes.
std::size_t EventStream::take_object(std::string_view bytes, std::vector<std::string>& messages) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (in_string_) {
      const bool is_escaped = std::exchange(after_backslash_, c == '\\' && !after_backslash_);
      in_string_ = c != '"' || is_escaped;
      continue;
    }
    in_string_ = c == '"';
    if (c == '{' || c == '[') ++depth_;
    if ((c != '}' && c != ']') || --depth_ > 0) continue;
    object_ += bytes.substr(0, i + 1);
    messages.push_back(std::exchange(object_, {}));
    return i + 1;
  }
  object_ += bytes;
  return bytes.size();
}

std::size_t EventStream::take_line(std::string_view bytes, std::vector<std::string>& messages) {
  const std::size_t end = bytes.find_first_of("\r\n");
  constexpr std::string_view kBlanks = " \t\xEF\xBB\xBF";  // and a byte order mark
  const std::size_t first = bytes.find_first_not_of(kBlanks);
  if (first != std::string_view::npos && bytes[first] == '{' &&
      line_.find_first_not_of(kBlanks) == std::string::npos) {
    line_ += bytes.substr(0, first);
    return first;  // an object begins there
  }
  line_ += bytes.substr(0, end);
  if (end == std::string_view::npos) return bytes.size();
  after_cr_ = bytes[end] == '\r';
  end_line(messages);
  return end + 1;
}

void EventStream::end_line(std::vector<std::string>& messages) {
  std::string line = std::exchange(line_, {});
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (std::exchange(at_begin_, false) && line.starts_with(kMark)) line.erase(0, kMark.size());
  if (line.empty()) return end_message(messages);
  const std::size_t colon = std::min(line.find(':'), line.size());
  const std::string_view field = std::string_view(line).substr(0, colon);
  constexpr std::array<std::string_view, 4> kSaysNothing{"", "event", "id",
                                                         "retry"};  // "": a comment
  if (std::ranges::find(kSaysNothing, field) != kSaysNothing.end()) return;
  if (field != "data") {
    // "The field is ignored", says the standard; but what may be a message that noise has hit is a
    // fault: of what it was meant to be, nobody knows.
    if (!is_harmless(line))
      fault_ = fmt::format("it sent what is not an event: {}", printable(line));
    if (odd_.empty()) odd_ = printable(line);
    return;
  }
  std::string_view value = std::string_view(line).substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (!data_.empty()) data_ += '\n';
  data_ += value;
}

void EventStream::end_message(std::vector<std::string>& messages) {
  if (data_.find_first_not_of(" \t") == std::string::npos) return data_.clear();
  messages.push_back(std::exchange(data_, {}));
}

// By the standard an event that no empty line ends is none; servers that close too early are many.
void EventStream::finish(std::vector<std::string>& messages) {
  if (!fault_.empty()) return;
  if (!line_.empty()) end_line(messages);
  fault_.clear();  // of half a line
  end_message(messages);
}

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
