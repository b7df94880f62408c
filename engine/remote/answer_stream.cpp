// SPDX-License-Identifier: MIT
#include "engine/remote/answer_stream.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "engine/remote/message_stream.h"

namespace confab::engine {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;
using Nanoseconds = std::chrono::duration<double, std::nano>;

class OpenAiStream final : public MessageStream {
 private:
  // Of the tool calls of one answer, in bytes. Arguments are written by a model: a context of a
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
  bool has_message_ = false;  // instead of deltas: it needs no other end than the body's
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
  // Where the engine does not stream, the whole is a message.
  const Json* delta = field(choice, "delta");
  const Json* whole = field(choice, "message");
  if (delta == nullptr) delta = whole;
  if (delta != nullptr) take_delta(*delta, part);
  if (const std::string text = text_of(field(choice, "text")); delta == nullptr && !text.empty()) {
    part.text += text;  // of servers that only complete
    ++part.n_pieces;
  }
  has_message_ = has_message_ || whole != nullptr;
  const Json* finish = field(choice, "finish_reason");
  if (finish == nullptr) return;
  known().finish = text_of(finish);
  if (finish->is_object()) known().finish = text_of(field(*finish, "type"));  // SGLang's
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

// Some send both names; then they say the same.
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

// One without index or id goes on with the last one.
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

// llama-server's, which knows more than its usage.
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

// They come whole.
void OllamaStream::take_calls(const Json& calls, AnswerPart& part) {
  for (const Json& call : calls.elements())
    if (const Json* function = field(call, "function"))
      part.text += fmt::format("\n```json\n{}\n```\n", function->dump());
}

void OllamaStream::take_done(const Json& message) {
  known().is_whole = true;
  known().finish = text_of(field(message, "done_reason"));
  if (known().finish.empty()) known().finish = "stop";  // older ones do not say
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
