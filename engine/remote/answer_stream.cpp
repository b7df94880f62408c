// SPDX-License-Identifier: MIT
#include "engine/remote/answer_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

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

// Reads up to the brace that closes the object. Returns how many bytes it took.
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
  constexpr std::string_view kBlanks = " \t\xEF\xBB\xBF";  // includes the byte order mark
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
                                                         "retry"};  // "" is a comment
  if (std::ranges::find(kSaysNothing, field) != kSaysNothing.end()) return;
  if (field != "data") {
    // The standard says to ignore such a field. But this may be a corrupted message, and nobody can
    // know what it said, so it is a fault.
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

// By the standard, an event without a final empty line is discarded. But many servers close too
// early.
void EventStream::finish(std::vector<std::string>& messages) {
  if (!fault_.empty()) return;
  if (!line_.empty()) end_line(messages);
  fault_.clear();  // it was only half a line
  end_message(messages);
}

void MessageStream::push(std::string_view bytes, AnswerPart& part) {
  std::vector<std::string> messages;
  messages_.push(bytes, messages);
  take_all(messages, part);
  join_halves(part);
  // Bytes after the end do not matter, whether or not they come in the same piece.
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
    // Stops here, so that the result does not depend on where bytes are cut.
    if (facts_.error || facts_.is_whole) return;
    const std::size_t begin = message.find_first_not_of(kBlanks);
    const std::string_view trimmed =
        std::string_view(message).substr(begin, message.find_last_not_of(kBlanks) + 1 - begin);
    if (trimmed == "[DONE]") {
      facts_.is_whole = true;
      continue;
    }
    const auto json = parse_json(trimmed, Halves::keep);
    // "ping" can be ignored; half a message cannot.
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

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;
using Nanoseconds = std::chrono::duration<double, std::nano>;

class OpenAiStream final : public MessageStream {
 private:
  // Most bytes of the tool calls of one answer. A model writes the arguments, so a context of a
  // million tokens has no more.
  static constexpr std::size_t kMostCalls = 4U << 20;

  struct Call {
    std::string id;
    std::optional<std::int64_t> index;
    std::string name;
    std::string arguments;
  };
  void take(const Json& message, AnswerPart& part) override;
  void take_end(AnswerPart& part) override;
  void take_choice(const Json& choice, AnswerPart& part);
  void take_delta(const Json& delta, AnswerPart& part);
  void take_reasoning(const Json& delta, AnswerPart& part);
  void take_call(const Json& delta);
  void take_usage(const Json& usage);
  void take_timings(const Json& timings);

  std::vector<Call> calls_ = {};
  std::size_t n_call_bytes_ = 0;
  bool has_message_ = false;  // came instead of deltas; then only the body marks the end
};

void OpenAiStream::take(const Json& message, AnswerPart& part) {
  if (const Json* usage = field(message, "usage")) take_usage(*usage);
  if (const Json* timings = field(message, "timings")) take_timings(*timings);
  if (const Json* progress = field(message, "prompt_progress"))
    part.progress =
        PrefillProgress{count_of(field(*progress, "processed")),
                        count_of(field(*progress, "total")), count_of(field(*progress, "cache"))};
  if (const Json* choices = field(message, "choices"))
    for (const Json& choice : choices->elements())
      if (count_of(field(choice, "index")) == 0) take_choice(choice, part);
}

void OpenAiStream::take_choice(const Json& choice, AnswerPart& part) {
  // An engine that does not stream sends the whole answer as a message.
  const Json* delta = field(choice, "delta");
  const Json* whole = field(choice, "message");
  if (delta == nullptr) delta = whole;
  if (delta != nullptr) take_delta(*delta, part);
  if (const std::string text = text_of(field(choice, "text")); delta == nullptr && !text.empty()) {
    part.text += text;  // from servers that only do completions
    ++part.n_pieces;
  }
  has_message_ = has_message_ || whole != nullptr;
  const Json* finish = field(choice, "finish_reason");
  if (finish == nullptr) return;
  known().finish = text_of(finish);
  if (finish->is_object()) known().finish = text_of(field(*finish, "type"));  // SGLang
}

void OpenAiStream::take_delta(const Json& delta, AnswerPart& part) {
  take_reasoning(delta, part);
  if (std::string text = take_content(field(delta, "content"), part); !text.empty()) {
    part.text += text;
    ++part.n_pieces;
  }
  if (std::string text = text_of(field(delta, "refusal")); !text.empty()) part.text += text;
  if (const Json* calls = field(delta, "tool_calls"))
    for (const Json& call : calls->elements()) take_call(call);
}

// Some engines send both keys, with the same text.
void OpenAiStream::take_reasoning(const Json& delta, AnswerPart& part) {
  for (const char* key : {"reasoning_content", "reasoning"}) {
    const std::string text = text_of(field(delta, key));
    if (text.empty()) continue;
    part.reasoning += text;
    ++part.n_pieces;
    known().reasoning_key = key;
    return;
  }
}

// A delta without index or id continues the last call.
void OpenAiStream::take_call(const Json& delta) {
  const auto index = whole_of(field(delta, "index"));
  const std::string id = text_of(field(delta, "id"));
  const std::string name = text_of(field(delta, "function", "name"));
  const bool is_next = calls_.empty() || (index && calls_.back().index != index) ||
                       (!index && !id.empty() && calls_.back().id != id) ||
                       (!index && id.empty() && !name.empty() && !calls_.back().name.empty());
  if (is_next) calls_.push_back({id, index, {}, {}});
  calls_.back().name += name;
  const Json* arguments = field(delta, "function", "arguments");
  if (arguments != nullptr)
    calls_.back().arguments += arguments->is_string() ? text_of(arguments) : arguments->dump();
  n_call_bytes_ += sizeof(Call) + id.size() + name.size();
  if (arguments != nullptr && arguments->is_string()) n_call_bytes_ += text_of(arguments).size();
  if (n_call_bytes_ <= kMostCalls) return;
  calls_.clear();
  known().error = {fmt::format("its tool calls are longer than {} MiB", kMostCalls >> 20)};
}

void OpenAiStream::take_end(AnswerPart& part) {
  known().is_whole = known().is_whole || has_message_;
  for (const Call& call : std::exchange(calls_, {}))
    part.text +=
        fmt::format("\n```json\n{{\"name\": {}, \"arguments\": {}}}\n```\n", Json(call.name).dump(),
                    call.arguments.empty() ? "{}" : call.arguments);
}

void OpenAiStream::take_usage(const Json& usage) {
  Usage& known_usage = known().usage;
  known_usage.n_prompt = count_of(field(usage, "prompt_tokens"));
  known_usage.n_generated = count_of(field(usage, "completion_tokens"));
  if (const Json* cached = field(usage, "prompt_tokens_details", "cached_tokens"))
    known_usage.n_cached = count_of(cached);
}

// llama-server's timings, which are more complete than its usage.
void OpenAiStream::take_timings(const Json& timings) {
  Usage& usage = known().usage;
  usage.n_cached = count_of(field(timings, "cache_n"));
  usage.n_prompt = usage.n_cached + count_of(field(timings, "prompt_n"));
  usage.n_generated = count_of(field(timings, "predicted_n"));
  usage.prefill = Milliseconds(number_of(field(timings, "prompt_ms")).value_or(0));
  usage.decode = Milliseconds(number_of(field(timings, "predicted_ms")).value_or(0));
  usage.drafts = {count_of(field(timings, "draft_n")),
                  count_of(field(timings, "draft_n_accepted"))};
}

class OllamaStream final : public MessageStream {
 private:
  void take(const Json& message, AnswerPart& part) override;
  void take_calls(const Json& calls, AnswerPart& part);
  void take_done(const Json& message);
};

void OllamaStream::take(const Json& message, AnswerPart& part) {
  if (const Json* said = field(message, "message")) {
    const std::string thought = text_of(field(*said, "thinking"));
    const std::string text = take_content(field(*said, "content"), part);
    if (!thought.empty()) known().reasoning_key = "thinking";
    part.reasoning += thought;
    part.text += text;
    part.n_pieces += static_cast<int>(!thought.empty()) + static_cast<int>(!text.empty());
    if (const Json* calls = field(*said, "tool_calls")) take_calls(*calls, part);
  }
  if (is_true(field(message, "done"))) take_done(message);
}

// Calls arrive complete.
void OllamaStream::take_calls(const Json& calls, AnswerPart& part) {
  for (const Json& call : calls.elements())
    if (const Json* function = field(call, "function"))
      part.text += fmt::format("\n```json\n{}\n```\n", function->dump());
}

void OllamaStream::take_done(const Json& message) {
  known().is_whole = true;
  known().finish = text_of(field(message, "done_reason"));
  if (known().finish.empty()) known().finish = "stop";  // older versions do not give it
  Usage& usage = known().usage;
  usage.n_prompt = count_of(field(message, "prompt_eval_count"));
  usage.n_generated = count_of(field(message, "eval_count"));
  usage.prefill = Nanoseconds(number_of(field(message, "prompt_eval_duration")).value_or(0));
  usage.decode = Nanoseconds(number_of(field(message, "eval_duration")).value_or(0));
}

}  // namespace

std::unique_ptr<AnswerStream> openai_stream() {
  return std::make_unique<OpenAiStream>();
}

std::unique_ptr<AnswerStream> ollama_stream() {
  return std::make_unique<OllamaStream>();
}

}  // namespace confab::engine
