// SPDX-License-Identifier: MIT
// Turns a model's events into answers. This is the only place that takes a model's events; front
// ends show what it passes on. Confined to one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/chat/chat.h"
#include "engine/api/chat_model.h"

namespace confab::app {

enum class AnswerEnd {
  finished,  // the model's own end, or a stop string
  stopped,   // cancelled
  failed,
  length,  // reached its token limit
  context_full,
};

struct AnswerOutcome {
  AnswerEnd end = AnswerEnd::finished;
  std::string fault = {};            // one line, if it failed
  engine::GenerateStats stats = {};  // unless it failed
  // The answer has the shape that was asked for. False for a failed answer if no such answer fits
  // into its token limit.
  bool is_in_shape = true;
  // The prompt did not fit into the context, and the chat is as it was before. The question exists
  // only in `refused`, unless it had been asked before.
  bool too_long = false;
  std::optional<Question> refused = {};
  // The answer was a summary of the conversation, which the sink does not get. `summary` is nullopt
  // if there is none; the chat then says why. Otherwise a new conversation is open that begins with
  // it.
  bool summarised = false;
  std::optional<std::string> summary = {};

  std::size_t answer = 0;  // which one, of several written at once

  bool is_aside() const noexcept { return too_long || summarised; }  // not part of the conversation
};

// Events that may come before the first token.
using AnswerWait = std::variant<engine::Waiting, engine::LoadProgress, engine::PrefillProgress>;

// Receives an answer as it is written, or several at once, distinguished by number.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual void progress(std::size_t answer, const AnswerWait& wait) = 0;
  virtual void reasoning(std::size_t answer, const engine::ReasoningDelta& delta) = 0;
  // Returns false to stop the answer, because nobody reads it any more.
  virtual bool text(std::size_t answer, const engine::TextDelta& delta) = 0;
  // One answer has ended; the others may go on.
  virtual void ended(std::size_t /*answer*/, const AnswerOutcome& /*outcome*/) {}
  // A note on what the model no longer reads has been written: see Chat::make_room().
  virtual void noted() {}
  // An event that belongs to no answer of the chat, from a scoring for example.
  virtual void other(const engine::AnswerEvent& /*told*/) {}
  // The count that ChatState::count_with() asked for. It may also come while no answer is awaited.
  virtual void counted(const engine::Counted& /*counted*/) {}
};

class AnswerLoop {
 public:
  // Both must outlive the loop. The chat keeps each event before the sink gets it. If `chat` is
  // nullptr, the answer belongs to no conversation.
  AnswerLoop(Chat* chat, AnswerSink& sink) : chat_(chat), sink_(sink) {}

  // Takes all events that are ready, without waiting. Returns the outcome once the answer has
  // ended, or, of several, the chosen one's outcome once the last has ended. Later events stay with
  // the model. Events that arrive while the chat awaits no answer go to other().
  std::optional<AnswerOutcome> take(engine::ChatModel& model);
  // Takes events until the answer ends. `wait` sleeps until the model has an event or something
  // else has to be done, and does that.
  AnswerOutcome run(engine::ChatModel& model, const std::function<void()>& wait);

 private:
  std::optional<AnswerOutcome> take_kept(engine::ChatModel& model, const engine::AnswerEvent& told);
  std::optional<AnswerOutcome> pass_on(engine::ChatModel& model, const engine::AnswerEvent& told,
                                       std::size_t answer);
  std::optional<AnswerOutcome> end(std::size_t answer, AnswerOutcome outcome, std::size_t chosen);

  Chat* chat_;
  AnswerSink& sink_;
  std::vector<AnswerOutcome> ended_;  // of several written at once, by number
};

// Advice for the person about an answer that ended this way; "" if it is complete.
std::string end_note(AnswerEnd end, const Chat& chat);

}  // namespace confab::app
