// SPDX-License-Identifier: MIT
// The interface of an engine as app sees it: count, generate with events, cancel. load_chat_model()
// in engine/run/local_chat_model.h loads our own engine.
//
// An engine works on its own threads. Requests go in; events come out of a bounded queue, and
// wake_fd() becomes readable when there are some. All functions must be called by one thread, the
// user interface's, and none of them waits for the model. count_tokens() and prompt_text() wait for
// the chat template, which is stopped if it takes too long.
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

  // Changes only inside next_event(), and only when a device fails and the processor takes over.
  virtual const ModelInfo& info() const noexcept = 0;
  // Number of tokens in the prompt that these turns make, counted as generate() would count them.
  // May be called while an answer is being generated. Throws ModelError.
  virtual int count_tokens(const std::vector<Turn>& turns,
                           const TemplateSettings& settings = {}) const = 0;
  // The prompt as text, as the template renders it. Throws ModelError.
  virtual std::string prompt_text(const std::vector<Turn>& turns,
                                  const TemplateSettings& settings = {}) const = 0;
  // Like count_tokens(), but returns at once. A Counted event follows, unless another request
  // arrives before this one has begun.
  virtual void count(CountRequest request) = 0;

  // Starts an answer. It runs alongside the answers in progress, and each answer is the same as it
  // would be alone. A prefix that several prompts share is computed once.
  virtual AnswerId generate(GenerateRequest request) = 0;
  // Scores texts as possible answers. This runs alongside the answers in progress and does not
  // change them. The prompt is read once, and so is any prefix that several options share.
  virtual AnswerId score(ScoreRequest request) = 0;
  // Asks an answer or a scoring to end; Finished{cancelled} follows within one token or prefill
  // chunk. Does nothing if the answer has already ended or never existed.
  virtual void cancel(AnswerId answer) noexcept = 0;
  // Reads ahead while nothing is being generated: computes the start of the next prompt, so that
  // generate() finds it done. Sends no events and reports no errors. The next generate() or
  // prepare() stops it within one layer of a prefill chunk. Text of a draft is not kept in the
  // store.
  virtual void prepare(PrepareRequest request) = 0;
  // Gives memory back, a device's included, once no answer is being written. The weights leave this
  // process; keys and values stay where the store keeps them. The next request or prepare() brings
  // everything back. Sends no events. If the returned future is valid, it becomes ready once the
  // memory is free or a newer request has overtaken this one.
  virtual std::future<void> unload() = 0;
  // If on, the model uses as little memory as its weights allow. After each answer it keeps only
  // the keys and values of the last sequence and no scratch; it does not read ahead and makes no
  // drafts. Answers do not change. Sends no events.
  virtual void spare_memory(bool on) = 0;
  // If on, the model uses less power: half of its threads and no drafts, from the next pass on.
  // Answers do not change. Sends no events.
  virtual void spare_power(bool on) = 0;
  virtual std::optional<AnswerEvent> next_event() = 0;  // nullopt if there is none now
  virtual int wake_fd() const noexcept = 0;             // poll for POLLIN, then drain next_event()
};

}  // namespace confab::engine
