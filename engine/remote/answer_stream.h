// SPDX-License-Identifier: MIT
// What an engine streams of an answer, whatever its protocol.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_repair.h"
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

// Whether it is a word or two that are no message, nor what noise has left of one: "ping".
bool is_harmless(std::string_view text);

// The messages of a stream, out of bytes that are cut anywhere: server-sent events (WHATWG HTML,
// section 9.2.6) and objects of JSON, whether they come one a line (Ollama's), over several lines
// or as one that is the whole answer. Which of these a stream is shows in what it is made of;
// labels are often wrong.
class EventStream {
 public:
  static constexpr std::size_t kMostBytes = 16U << 20;  // of a message

  // Appends the messages that are complete, none empty.
  void push(std::string_view bytes, std::vector<std::string>& messages);
  // What is wrong with the stream, after which nothing more is read of it; empty: nothing.
  const std::string& fault() const noexcept { return fault_; }
  // The first line of none of the standard's fields, as it may be shown; empty: there was none.
  const std::string& odd() const noexcept { return odd_; }
  // The end: what was held back, if it is a message. Half an object is not.
  void finish(std::vector<std::string>& messages);

 private:
  std::size_t take_object(std::string_view bytes, std::vector<std::string>& messages);
  std::size_t take_line(std::string_view bytes, std::vector<std::string>& messages);
  void end_line(std::vector<std::string>& messages);
  void end_message(std::vector<std::string>& messages);

  std::string line_ = {};
  std::string object_ = {};  // that is open, from its first brace
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool after_backslash_ = false;
  std::string data_ = {};
  std::string fault_ = {};
  std::string odd_ = {};
  bool after_cr_ = false;  // a line feed is part of the end of the line before
  bool at_begin_ = true;   // where a byte order mark may stand
};

// What the protocols have in common: a stream cut into messages of JSON, of which one may be an
// error.
class MessageStream : public AnswerStream {
 public:
  void push(std::string_view bytes, AnswerPart& part) final;
  void finish(AnswerPart& part) final;
  const AnswerFacts& facts() const noexcept final { return facts_; }

 protected:
  virtual void take(const Json& message, AnswerPart& part) = 0;
  virtual void take_end(AnswerPart& /*part*/) {}
  AnswerFacts& known() noexcept { return facts_; }
  // The text of a message's content: a text, or parts of which each has one. Parts that are
  // thoughts (Mistral's) go into the reasoning; of a kind that is not known they are remembered.
  std::string take_content(const Json* content, AnswerPart& part);

 private:
  void take_all(const std::vector<std::string>& messages, AnswerPart& part);
  void join_halves(AnswerPart& part);

  EventStream messages_;
  AnswerFacts facts_ = {};
  base::HalfJoiner text_ = {};
  base::HalfJoiner reasoning_ = {};
};

// Chat completions as OpenAI has them, and as llama-server, vLLM, SGLang and LM Studio do (August
// 2026): an answer with "stream": true, with or without "stream_options": {"include_usage": true}.
// What a model would have called as a tool is told as text: nothing that it says is lost.
std::unique_ptr<AnswerStream> openai_stream();

// Ollama's own /api/chat (August 2026): its OpenAI surface cannot set the context, and cuts prompts
// silently.
std::unique_ptr<AnswerStream> ollama_stream();

}  // namespace confab::engine
