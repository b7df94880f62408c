// SPDX-License-Identifier: MIT
// What the protocols have in common: a stream cut into messages of JSON, of which one may be an
// error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_repair.h"
#include "engine/remote/answer_stream.h"

namespace confab::engine {

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

}  // namespace confab::engine
