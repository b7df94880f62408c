// SPDX-License-Identifier: MIT
// What an engine streams of an answer, whatever its protocol.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/api/events.h"
#include "engine/remote/error_reply.h"

namespace confab::engine {

// What has come since the last time.
struct AnswerPart {
  std::string reasoning = {};
  std::string text = {};
  int n_pieces = 0;  // about as many tokens
  std::optional<PrefillProgress> progress = {};
};

// What engines tell of the work; what they do not is 0.
struct Usage {
  int n_prompt = 0;
  int n_cached = 0;
  int n_generated = 0;
  DraftCount drafts = {};
  std::chrono::duration<double> prefill{0};
  std::chrono::duration<double> decode{0};
};

// What is known of the answer so far.
struct AnswerFacts {
  bool is_whole = false;    // it has said that nothing more comes
  std::string finish = {};  // the reason, as the engine calls it; empty: it has not said one
  std::optional<ErrorReply> error = {};
  std::string reasoning_key = {};  // under which the reasoning came
  // What came beside the answer and was not understood; untrusted.
  std::string odd = {};              // a line, or a message that is not JSON
  std::string unknown_content = {};  // the kind of a part of the answer
  Usage usage = {};
};

class AnswerStream {
 public:
  virtual ~AnswerStream() = default;
  // Bytes of the body, cut anywhere.
  virtual void push(std::string_view bytes, AnswerPart& part) = 0;
  virtual void finish(AnswerPart& part) = 0;  // the body has ended
  virtual const AnswerFacts& facts() const noexcept = 0;
};

// Chat completions as OpenAI has them, and as llama-server, vLLM, SGLang and LM Studio do (August
// 2026): an answer with "stream": true, with or without "stream_options": {"include_usage": true}.
// What a model would have called as a tool is told as text: nothing that it says is lost.
std::unique_ptr<AnswerStream> openai_stream();

// Ollama's own /api/chat (August 2026): its OpenAI surface cannot set the context, and cuts prompts
// silently.
std::unique_ptr<AnswerStream> ollama_stream();

}  // namespace confab::engine
