// SPDX-License-Identifier: MIT
// What the protocols have in common: messages of JSON, of which one may be an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/remote/answer_stream.h"
#include "engine/remote/event_stream.h"

namespace confab::engine {

class MessageStream : public AnswerStream {
 public:
  explicit MessageStream(EventStream::Form form) : messages_(form) {}

  void push(std::string_view bytes, AnswerPart& part) final;
  void finish(AnswerPart& part) final;
  const AnswerFacts& facts() const noexcept final { return facts_; }

 protected:
  virtual void take(const Json& message, AnswerPart& part) = 0;
  virtual void take_end(AnswerPart& /*part*/) {}
  AnswerFacts& known() noexcept { return facts_; }

 private:
  void take_all(const std::vector<std::string>& messages, AnswerPart& part);

  EventStream messages_;
  AnswerFacts facts_ = {};
};

}  // namespace confab::engine
