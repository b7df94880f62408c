// SPDX-License-Identifier: MIT
// What app sees of an engine: count, generate with events, cancel. engine/run/local_chat_model.h
// loads the one of our own.
//
// An engine works on threads of its own. Requests go in, events come out of a bounded queue;
// wake_fd() becomes readable when there are some. All functions are for one thread (the user
// interface's) and none waits for the model. count_tokens() and prompt_text() wait for the chat
// template, which is stopped when it takes too long.
#pragma once

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/events.h"
#include "engine/api/model_info.h"
#include "engine/api/requests.h"
#include "engine/api/turn.h"

namespace confab::engine {

class ChatModel {
 public:
  virtual ~ChatModel() = default;

  // Changes in next_event(), and there only where a device fails and the processor goes on.
  virtual const ModelInfo& info() const noexcept = 0;
  // Tokens of the prompt that these turns make, as generate() would count them; also while it
  // generates. Throws ModelError.
  virtual int count_tokens(const std::vector<Turn>& turns,
                           const TemplateSettings& settings = {}) const = 0;
  // The prompt as text, as the template makes it. Throws ModelError.
  virtual std::string prompt_text(const std::vector<Turn>& turns,
                                  const TemplateSettings& settings = {}) const = 0;
  // The same without waiting: Counted follows, unless another request comes before it is begun.
  virtual void count(CountRequest request) = 0;

  // Starts an answer, beside those that are being written: each is what it would be alone. What the
  // prompts of several begin with is computed once.
  virtual AnswerId generate(GenerateRequest request) = 0;
  // Scores texts as the answer's, beside the answers that are being written, which stay what they
  // would be. The prompt is read once, and so is what several options begin with.
  virtual AnswerId score(ScoreRequest request) = 0;
  // Asks an answer or a scoring to end; Finished{cancelled} follows within one token or prefill
  // chunk. One that has ended, or never was, is none of its business.
  virtual void cancel(AnswerId answer) noexcept = 0;
  // Reads ahead while nothing is generated: computes what the next prompt will begin with, so that
  // generate() finds it done. Has no events, reports no errors, and ends within one layer of a
  // prefill chunk at the next generate() or prepare(). Text of a draft is not kept in the store.
  virtual void prepare(PrepareRequest request) = 0;
  // Gives back the memory that it takes, a device's too, once no answer is being written: the
  // weights leave this process, keys and values stay where the store has them. The next request or
  // prepare() brings all of it back. Has no events; what it returns, where that is valid, is ready
  // once it is done, or has been overtaken.
  virtual std::future<void> unload() = 0;
  // Whether it lives in as little memory as it can with its weights: from the end of each answer on
  // it keeps keys and values of the last sequence alone, and no scratch; nothing is read ahead, and
  // there are no drafts, which changes no answer. Has no events.
  virtual void spare_memory(bool on) = 0;
  // Whether it uses less power: half of its threads and no drafts, from the next pass on. Changes
  // no answer, has no events.
  virtual void spare_power(bool on) = 0;
  virtual std::optional<AnswerEvent> next_event() = 0;  // nullopt: none now
  virtual int wake_fd() const noexcept = 0;             // poll for POLLIN, then drain next_event()
};

}  // namespace confab::engine
