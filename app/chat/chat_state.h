// SPDX-License-Identifier: MIT
// What a chat has come to: for those who show it and change nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/chat/chat_record.h"
#include "app/chat/context_window.h"
#include "app/chat/message_path.h"
#include "app/chat/question.h"
#include "app/chat/summary.h"
#include "app/chat/turns.h"
#include "app/options.h"
#include "app/parameters.h"
#include "engine/api/chat_model.h"
#include "engine/api/events.h"
#include "sessions/conversations/message.h"

namespace confab::app {

// How an answer grows from what the model tells; one that is gone on with is told again from its
// beginning, and what there was of it is never lost.
class AnswerDraft {
 public:
  AnswerDraft() = default;
  // begun: the answer that is gone on with, as it was.
  explicit AnswerDraft(sessions::Message begun) : begun_(std::move(begun)) {}

  void take(const engine::PrefillProgress& progress) noexcept;
  void take(const engine::ReasoningDelta& delta, sessions::Message& answer);
  void take(const engine::TextDelta& delta, sessions::Message& answer);
  // The answer ends here. Where it was stopped, or failed, before it was where it had been, it
  // becomes what it was.
  void end(sessions::Message& answer);

  // Of the context, by the tokens so far; nullopt: what is told now was counted before.
  std::optional<int> n_ctx_used() const noexcept;
  // The answer is no shorter than what the database has of it.
  bool has_grown(const sessions::Message& answer) const noexcept;

 private:
  void grow(sessions::Message& answer, const std::vector<engine::Token>& tokens);
  void count(int n_generated) noexcept;

  std::optional<sessions::Message> begun_ = {};
  bool retold_ = false;  // the model has begun to tell it again
  int n_prompt_ = 0;     // without what is told of the answer again
  int n_retold_ = 0;     // tokens that have been told again
  int n_told_ = 0;       // tokens after the prompt
  bool counts_ = false;  // n_told_ is known
};

// An answer that is being written, or has ended before those that are written with it.
struct AnswerInFlight {
  engine::AnswerId id = engine::AnswerId::none;  // none: it has ended
  AnswerDraft draft = {};
  std::optional<engine::Finished> finished = {};
  int n_ctx_used = 0;
};

// What is done when the context is full.
struct ContextPolicy {
  Overflow overflow = Overflow::shift;  // shift, summarise or stop
  int keep = 0;                         // as ChatOptions has it
};

class ChatState {
 public:
  // The branch that is shown, without the system prompt; an answer that is being generated is the
  // last one, a draft, unless it is a summary. Of several it is the first.
  std::span<const sessions::Message> messages() const noexcept { return shown(path_); }
  std::optional<sessions::ConversationId> conversation() const noexcept {
    return record_.conversation();
  }
  bool generating() const noexcept {
    return std::ranges::any_of(in_flight_, &ChatState::is_awaited);
  }
  // Answers that are written together, until the last of them has ended; 0: none are.
  std::size_t n_answers() const noexcept { return in_flight_.size(); }
  const sessions::Message& answer(std::size_t i) const;  // no summary
  bool is_writing(std::size_t i) const noexcept { return is_awaited(in_flight_[i]); }
  // The one that the conversation goes on with: the first that has not failed, until one is chosen.
  std::size_t chosen() const;
  // nullopt: nobody waits for it.
  std::optional<std::size_t> number_of(engine::AnswerId answer) const noexcept;
  // What is being generated is a summary of the conversation, and not shown as part of it.
  bool summarising() const noexcept { return summary_.has_value(); }
  // Of the last answer; nullopt: none in this run.
  const std::optional<engine::Finished>& last() const noexcept { return last_; }
  int n_ctx_used() const noexcept { return n_ctx_used_; }
  const engine::ModelInfo& model_info() const noexcept { return model_->info(); }

  const ContextPolicy& context_policy() const noexcept { return policy_; }
  // The oldest questions go when there is no room: nobody has to be asked.
  bool lets_go() const noexcept {
    return policy_.overflow == Overflow::shift || policy_.overflow == Overflow::summarise;
  }
  // Of messages(), what the model reads, as the next question finds it.
  sessions::Memory memory() const { return memory_of(messages()); }
  // Tokens of each of messages(). Throws ModelError.
  MessageSizes sizes() const { return sizes_of(*model_, path_, template_settings(options_)); }
  // A note on the oldest turns is being written behind the chat; nobody waits for it.
  bool is_noting() const noexcept { return note_.has_value(); }
  bool is_note(engine::AnswerId answer) const noexcept { return note_ && note_->id == answer; }

  std::string system() const;  // the prompt; empty: none
  // Of the next answers, or of one: as somebody has set them, else as the model's makers recommend.
  AnswerOptions options(const std::optional<AnswerOptions>& of_one = {}) const {
    return with_recommended(of_one.value_or(options_), model_info().sampling, model_info().stop);
  }
  // As somebody has set them.
  const AnswerOptions& set_options() const noexcept { return options_; }
  // The question that a message is, or answers. Throws UserError when there is none.
  std::size_t question_of(std::size_t message) const { return question_number(path_, message); }
  // What the model is told, as its template writes it. Throws ModelError.
  std::string prompt_text() const;
  // What the model would be asked with one more question; nothing is asked yet.
  engine::GenerateRequest request_with(const Question& question) const;
  // Has the model count the tokens of that: Counted with `number` follows.
  void count_with(const Question& question, std::uint64_t number) const;

  // The open branch as a conversation, saved or not.
  sessions::ConversationTree branch() const { return tree_of(path_); }
  // What can be done about a last message that is no whole answer; empty: it is one.
  std::string unfinished_note() const;
  // Whether anything is in memory only that should be saved: leaving now would lose it.
  bool has_unsaved() const { return record_.has_unsaved(path_); }

 protected:
  ChatState(engine::ChatModel& model, sessions::Store* store, const AnswerOptions& options)
      : model_(&model), record_(store), options_(options) {}
  // A note that is being written, and what the model reads when it is.
  struct NoteInFlight {
    engine::AnswerId id = engine::AnswerId::none;
    SummaryRequest request;
    sessions::Memory memory;
  };

  ~ChatState() = default;

  // What the template is told for an answer with these options.
  engine::TemplateSettings template_settings(const AnswerOptions& options) const {
    return template_settings(options, model_->info(), begun_at_);
  }
  static engine::TemplateSettings template_settings(
      const AnswerOptions& options, const engine::ModelInfo& model,
      std::optional<std::chrono::sys_seconds> begun_at);
  // Whether the path may fit into the context of a model. Text that is far too long is not cut into
  // tokens, which would take longer than all else of opening it.
  static bool may_fit(const MessagePath& path, const engine::ModelInfo& model);
  // Tokens of a path, as a model and a conversation have them. Throws ModelError.
  int count(const engine::ChatModel& model, const MessagePath& path,
            std::optional<std::chrono::sys_seconds> begun_at) const;
  int count(const MessagePath& path) const { return count(*model_, path, begun_at_); }
  // Throws ModelError when the model's template refuses the system prompt of a path. Before
  // anything has been said, that shows with the first question.
  void check_system(const MessagePath& path) const;

  static bool is_awaited(const AnswerInFlight& answer) noexcept {
    return answer.id != engine::AnswerId::none;
  }

  engine::ChatModel* model_;
  ChatRecord record_;
  AnswerOptions options_;
  MessagePath path_;
  std::optional<std::chrono::sys_seconds> begun_at_;  // the conversation's age, for its template
  // The first is the last of the path, the others are beside it; or it is a summary.
  std::vector<AnswerInFlight> in_flight_;
  std::optional<std::size_t> chosen_;      // of these
  std::optional<SummaryRequest> summary_;  // that is being generated
  std::optional<engine::Finished> last_;
  int n_ctx_used_ = 0;
  ContextPolicy policy_;
  std::optional<NoteInFlight> note_;
};

}  // namespace confab::app
