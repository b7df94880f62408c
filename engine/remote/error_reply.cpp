// SPDX-License-Identifier: MIT
#include "engine/remote/error_reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/ascii_case.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMostMessage = 400;  // bytes

// Makes one line of it, for use inside our own messages.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, kMostMessage)) {
    const bool is_space = static_cast<unsigned char>(c) <= ' ';
    if (!is_space)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return line;
}

// The types are those of llama-server and OpenAI. The phrases are from messages of llama-server,
// vLLM, SGLang, LM Studio and Ollama (August 2026).
bool says_too_long(const std::string& type, const std::string& code, const std::string& message) {
  if (type == "exceed_context_size_error" || code == "context_length_exceeded") return true;
  const std::string words = ascii_lower(message);
  constexpr std::array<std::string_view, 8> kSigns{"maximum context length",
                                                   "context length of only",
                                                   "exceeds the available context size",
                                                   "exceeds the model's",
                                                   "exceeds context length",
                                                   "exceeds the context length",
                                                   "prompt is too long",
                                                   "longer than the model's context length"};
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return words.find(sign) != std::string::npos; });
}

std::string text_or_number(const Json* json) {
  if (json != nullptr && json->is_integer()) return json->dump();
  return text_of(json);
}

// Successful responses may contain "error": false, "", {} or {"message": ""}.
bool says_nothing(const Json& json) {
  if (const auto truth = json.as_bool()) return !*truth;
  if (const std::string* text = json.as_text()) return text->empty();
  const auto says_nothing_too = [](const base::JsonMember& one) { return says_nothing(one.value); };
  if (json.is_object()) return std::ranges::all_of(json.members(), says_nothing_too);
  return json.is_number() ? json.as_double() == 0 : json.empty();
}

}  // namespace

std::optional<ErrorReply> error_in(const Json& json) {
  const Json* error = field(json, "error");
  if (error != nullptr && says_nothing(*error)) error = nullptr;
  const bool is_flat = error == nullptr && text_of(field(json, "object")) == "error";
  if (is_flat) error = &json;
  if (error == nullptr) return std::nullopt;
  std::string message = text_of(error);
  if (message.empty()) message = text_of(field(*error, "message"));
  if (message.empty()) message = text_of(field(json, "message"));
  if (message.empty()) message = error->excerpt(kMostMessage);
  const bool too_long =
      says_too_long(text_of(field(*error, "type")), text_or_number(field(*error, "code")), message);
  return ErrorReply{one_line(message), too_long};
}

ErrorReply refusal_of(const HttpHead& head, std::string_view body) {
  const auto json = parse_json(body);
  std::optional<ErrorReply> error = json ? error_in(*json) : std::nullopt;
  // FastAPI's form, used by vLLM and SGLang if the address or a field is wrong.
  if (!error && json && field(*json, "detail") != nullptr) {
    const Json& detail = *field(*json, "detail");
    error =
        ErrorReply{one_line(detail.is_string() ? text_of(&detail) : detail.excerpt(kMostMessage))};
  }
  if (!error) error = ErrorReply{one_line(printable(body))};
  if (const std::string place = head.header("location"); !place.empty())
    error->message = fmt::format("it is elsewhere, at {}; use that address", printable(place));
  error->message = error->message.empty()
                       ? fmt::format("status {}", head.status)
                       : fmt::format("{} (status {})", error->message, head.status);
  return *error;
}

std::optional<std::chrono::seconds> retry_after(const HttpHead& head, int tries) {
  constexpr int kTooMany = 429, kUnavailable = 503;
  constexpr int kMostTries = 60;
  constexpr std::int64_t kMost = 300;
  if ((head.status != kTooMany && head.status != kUnavailable) || tries >= kMostTries)
    return std::nullopt;
  const std::string given = head.header("retry-after");
  std::int64_t seconds = 0;
  const auto [end, fault] = std::from_chars(given.data(), given.data() + given.size(), seconds);
  if (!given.empty() && fault == std::errc{} && end == given.data() + given.size())
    return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 1, kMost));
  return std::chrono::seconds(std::min(1 << std::min(tries, 3), 8));
}

}  // namespace confab::engine
