// SPDX-License-Identifier: MIT
// From what a model tells to an answer: the one place that takes a model's events. Front ends show
// what it passes on. Confined to one thread.
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
  stopped,   // it was cancelled
  failed,
  length,  // as many tokens as it may have
  context_full,
};

struct AnswerOutcome {
  AnswerEnd end = AnswerEnd::finished;
  std::string fault = {};            // of failed: one line
  engine::GenerateStats stats = {};  // of all others
  // It has the shape that was asked for; of failed, false: in as many tokens as it may have, none
  // has.
  bool is_in_shape = true;
  // It was asked for more than the context holds, and the chat is as it was before. The question,
  // unless it had been asked before, is nowhere but here.
  bool too_long = false;
  std::optional<Question> refused = {};
  // It was to be a summary of the conversation, which the sink does not get. A new one that begins
  // with it is open; nullopt: there is none, and the chat tells why.
  bool summarised = false;
  std::optional<std::string> summary = {};

  std::size_t answer = 0;  // of those that were written together, which one this is

  bool is_aside() const noexcept { return too_long || summarised; }  // not in the conversation
};

// What goes on until the first token comes.
using AnswerWait = std::variant<engine::Waiting, engine::LoadProgress, engine::PrefillProgress>;

// Gets an answer as it comes, or several that are written together, each by its number among them.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual void progress(std::size_t answer, const AnswerWait& wait) = 0;
  virtual void reasoning(std::size_t answer, const engine::ReasoningDelta& delta) = 0;
  // False: nobody wants more, and the answer is stopped.
  virtual bool text(std::size_t answer, const engine::TextDelta& delta) = 0;
  // One has ended; what follows is of the others.
  virtual void ended(std::size_t /*answer*/, const AnswerOutcome& /*outcome*/) {}
  // A note has been written on what the model no longer reads: see Chat::make_room().
  virtual void noted() {}
  // What is told of no answer of the chat: a scoring.
  virtual void other(const engine::AnswerEvent& /*told*/) {}
  // The count that ChatState::count_with() had asked for; also while no answer is awaited.
  virtual void counted(const engine::Counted& /*counted*/) {}
};

class AnswerLoop {
 public:
  // Both must outlive the loop. The chat keeps what is said before the sink gets it; null: an
  // answer that belongs to no conversation.
  AnswerLoop(Chat* chat, AnswerSink& sink) : chat_(chat), sink_(sink) {}

  // Takes what the model has told by now, without waiting. Engaged: the answer has ended, or the
  // last of several, of which this is the one that the chat goes on with; what may have come behind
  // it has not been looked at. What is told while the chat awaits no answer goes to other().
  std::optional<AnswerOutcome> take(engine::ChatModel& model);
  // Takes what is being written to its end; `wait` sleeps until the model tells more, or something
  // else has to be done, and does that.
  AnswerOutcome run(engine::ChatModel& model, const std::function<void()>& wait);

 private:
  std::optional<AnswerOutcome> take_kept(engine::ChatModel& model, const engine::AnswerEvent& told);
  std::optional<AnswerOutcome> pass_on(engine::ChatModel& model, const engine::AnswerEvent& told,
                                       std::size_t answer);
  std::optional<AnswerOutcome> end(std::size_t answer, AnswerOutcome outcome, std::size_t chosen);

  Chat* chat_;
  AnswerSink& sink_;
  std::vector<AnswerOutcome> ended_;  // of those that are written together, by number
};

// What can be done about an answer that ended so; empty: it is whole.
std::string end_note(AnswerEnd end, const Chat& chat);

}  // namespace confab::app
