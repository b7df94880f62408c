// SPDX-License-Identifier: MIT
// What the protocols have in common: messages of JSON, of which one may be an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_repair.h"
#include "engine/remote/answer_stream.h"
#include "engine/remote/event_stream.h"

namespace confab::engine {

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
