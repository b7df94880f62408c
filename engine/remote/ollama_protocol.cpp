// SPDX-License-Identifier: MIT
#include "engine/remote/ollama_protocol.h"

#include <fmt/format.h>

#include "engine/remote/message_stream.h"

namespace confab::engine {
namespace {

using Nanoseconds = std::chrono::duration<double, std::nano>;

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

std::unique_ptr<AnswerStream> ollama_stream() {
  return std::make_unique<OllamaStream>();
}

}  // namespace confab::engine
