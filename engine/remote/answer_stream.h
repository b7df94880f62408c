// SPDX-License-Identifier: MIT
// Turns the bytes of a remote engine's answer into text and facts, whatever the protocol.
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

// The part of an answer that arrived since the last call.
struct AnswerPart {
  std::string reasoning = {};
  std::string text = {};
  int n_pieces = 0;  // approximately the number of tokens
  std::optional<PrefillProgress> progress = {};
};

// Figures that engines report about their work; 0 if not reported.
struct Usage {
  int n_prompt = 0;
  int n_cached = 0;
  int n_generated = 0;
  DraftCount drafts = {};
  std::chrono::duration<double> prefill{0};
  std::chrono::duration<double> decode{0};
};

// Everything known of the answer so far.
struct AnswerFacts {
  bool is_whole = false;    // the engine has said that nothing more will come
  std::string finish = {};  // the engine's name for the reason; empty if not given yet
  std::optional<ErrorReply> error = {};
  std::string reasoning_key = {};  // the key under which reasoning arrived
  // Things that arrived beside the answer and were not understood; untrusted.
  std::string odd = {};              // a line, or a message that is not JSON
  std::string unknown_content = {};  // type of an unknown part of the answer
  Usage usage = {};
};

class AnswerStream {
 public:
  virtual ~AnswerStream() = default;
  // Takes bytes of the body, which may be cut anywhere.
  virtual void push(std::string_view bytes, AnswerPart& part) = 0;
  virtual void finish(AnswerPart& part) = 0;  // the body has ended
  virtual const AnswerFacts& facts() const noexcept = 0;
};

// Whether the text is a few plain words, for example "ping", and neither a message nor the remains
// of a corrupted one.
bool is_harmless(std::string_view text);

// Finds the messages in a stream whose bytes may be cut anywhere. They are server-sent events
// (WHATWG HTML, section 9.2.6) or JSON objects: one per line (Ollama), over several lines, or one
// that is the whole answer. The format is recognised from the contents, because content types are
// often wrong.
class EventStream {
 public:
  static constexpr std::size_t kMostBytes = 16U << 20;  // per message

  // Appends the messages that are complete. None of them is empty.
  void push(std::string_view bytes, std::vector<std::string>& messages);
  // The fault of the stream; empty if there is none. After a fault nothing more is read.
  const std::string& fault() const noexcept { return fault_; }
  // The first line that is not one of the standard's fields, made safe to show; empty if there was
  // none.
  const std::string& odd() const noexcept { return odd_; }
  // The stream has ended. Appends what was held back, if it is a message; half an object is not.
  void finish(std::vector<std::string>& messages);

 private:
  std::size_t take_object(std::string_view bytes, std::vector<std::string>& messages);
  std::size_t take_line(std::string_view bytes, std::vector<std::string>& messages);
  void end_line(std::vector<std::string>& messages);
  void end_message(std::vector<std::string>& messages);

  std::string line_ = {};
  std::string object_ = {};  // the open object, from its first brace
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool after_backslash_ = false;
  std::string data_ = {};
  std::string fault_ = {};
  std::string odd_ = {};
  bool after_cr_ = false;  // a line feed would belong to the previous line end
  bool at_begin_ = true;   // a byte order mark may come here
};

// The common part of the protocols: a stream of JSON messages, any of which may be an error.
class MessageStream : public AnswerStream {
 public:
  void push(std::string_view bytes, AnswerPart& part) final;
  void finish(AnswerPart& part) final;
  const AnswerFacts& facts() const noexcept final { return facts_; }

 protected:
  virtual void take(const Json& message, AnswerPart& part) = 0;
  virtual void take_end(AnswerPart& /*part*/) {}
  AnswerFacts& known() noexcept { return facts_; }
  // The text of a message's content, which is a text or a list of parts with a text each. Parts
  // that are thoughts (Mistral) are added to the reasoning. The type of an unknown part is noted.
  std::string take_content(const Json* content, AnswerPart& part);

 private:
  void take_all(const std::vector<std::string>& messages, AnswerPart& part);
  void join_halves(AnswerPart& part);

  EventStream messages_;
  AnswerFacts facts_ = {};
  base::HalfJoiner text_ = {};
  base::HalfJoiner reasoning_ = {};
};

// Chat completions by OpenAI, and by llama-server, vLLM, SGLang and LM Studio (August 2026): an
// answer to "stream": true, with or without "stream_options": {"include_usage": true}. Tool calls
// are added to the text, so that nothing the model says is lost.
std::unique_ptr<AnswerStream> openai_stream();

// Ollama's own /api/chat (August 2026). Its OpenAI-compatible interface cannot set the context size
// and truncates prompts silently.
std::unique_ptr<AnswerStream> ollama_stream();

}  // namespace confab::engine
