// SPDX-License-Identifier: MIT
// The state of a chat, for code that shows it and changes nothing.
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

// How an answer grows from the model's events. When an answer is continued, the model repeats it
// from the start; nothing of the earlier text is ever lost.
class AnswerDraft {
 public:
  AnswerDraft() = default;
  // begun: the earlier state of the answer that is continued.
  explicit AnswerDraft(sessions::Message begun) : begun_(std::move(begun)) {}

  void take(const engine::PrefillProgress& progress) noexcept;
  void take(const engine::ReasoningDelta& delta, sessions::Message& answer);
  void take(const engine::TextDelta& delta, sessions::Message& answer);
  // The answer ends here. If it ended before it reached its earlier length, it gets its earlier
  // state back.
  void end(sessions::Message& answer);

  // Tokens used in the context so far; nullopt while the model repeats tokens that were counted
  // before.
  std::optional<int> n_ctx_used() const noexcept;
  // Returns true if the answer is at least as long as its earlier state in the database.
  bool has_grown(const sessions::Message& answer) const noexcept;

 private:
  void grow(sessions::Message& answer, const std::vector<engine::Token>& tokens);
  void count(int n_generated) noexcept;

  std::optional<sessions::Message> begun_ = {};
  bool retold_ = false;  // the model has started to repeat the answer
  int n_prompt_ = 0;     // without the repeated tokens of the answer
  int n_retold_ = 0;     // tokens that have been repeated
  int n_told_ = 0;       // tokens after the prompt
  bool counts_ = false;  // n_told_ is valid
};

// An answer in progress, or one that has ended before the others written with it.
struct AnswerInFlight {
  engine::AnswerId id = engine::AnswerId::none;  // none once it has ended
  AnswerDraft draft = {};
  std::optional<engine::Finished> finished = {};
  int n_ctx_used = 0;
};

// The behaviour when the context is full.
struct ContextPolicy {
  Overflow overflow = Overflow::shift;  // shift, summarise or stop
  int keep = 0;                         // as in ChatOptions
};

class ChatState {
 public:
  // The branch that is shown, without the system prompt. An answer in progress is the last message,
  // as a draft, unless it is a summary. If there are several, the first is shown.
  std::span<const sessions::Message> messages() const noexcept { return shown(path_); }
  std::optional<sessions::ConversationId> conversation() const noexcept {
    return record_.conversation();
  }
  bool generating() const noexcept {
    return std::ranges::any_of(in_flight_, &ChatState::is_awaited);
  }
  // How many answers are being written together, until the last of them has ended; 0 if none.
  std::size_t n_answers() const noexcept { return in_flight_.size(); }
  const sessions::Message& answer(std::size_t i) const;  // must not be a summary
  bool is_writing(std::size_t i) const noexcept { return is_awaited(in_flight_[i]); }
  // The answer that the conversation continues with: the first that has not failed, unless another
  // one is chosen.
  std::size_t chosen() const;
  // nullopt if no answer in progress has this id.
  std::optional<std::size_t> number_of(engine::AnswerId answer) const noexcept;
  // The model is writing a summary of the conversation, which is not shown as part of it.
  bool summarising() const noexcept { return summary_.has_value(); }
  // How the last answer ended; nullopt if there was none in this run.
  const std::optional<engine::Finished>& last() const noexcept { return last_; }
  int n_ctx_used() const noexcept { return n_ctx_used_; }
  const engine::ModelInfo& model_info() const noexcept { return model_->info(); }

  const ContextPolicy& context_policy() const noexcept { return policy_; }
  // The oldest questions leave a full context without asking.
  bool lets_go() const noexcept {
    return policy_.overflow == Overflow::shift || policy_.overflow == Overflow::summarise;
  }
  // Which of messages() the model will read for the next question.
  sessions::Memory memory() const { return memory_of(messages()); }
  // The tokens of each of messages(). Throws ModelError.
  MessageSizes sizes() const { return sizes_of(*model_, path_, template_settings(options_)); }
  // The model is writing a note on the oldest turns in the background.
  bool is_noting() const noexcept { return note_.has_value(); }
  bool is_note(engine::AnswerId answer) const noexcept { return note_ && note_->id == answer; }

  std::string system() const;  // the prompt, or ""
  // The options for the next answers, or for one: as set by the person, else as recommended for the
  // model.
  AnswerOptions options(const std::optional<AnswerOptions>& of_one = {}) const {
    return with_recommended(of_one.value_or(options_), model_info().sampling, model_info().stop);
  }
  // The options that the person has set.
  const AnswerOptions& set_options() const noexcept { return options_; }
  // The question that this message is, or answers. Throws UserError if there is none.
  std::size_t question_of(std::size_t message) const { return question_number(path_, message); }
  // The prompt, as the model's template writes it. Throws ModelError.
  std::string prompt_text() const;
  // The request that one more question would make. Asks nothing yet.
  engine::GenerateRequest request_with(const Question& question) const;
  // Lets the model count that request's tokens; Counted with `number` follows.
  void count_with(const Question& question, std::uint64_t number) const;

  // The open branch as a conversation, saved or not.
  sessions::ConversationTree branch() const { return tree_of(path_); }
  // Advice for the person about an incomplete last answer; "" if it is complete.
  std::string unfinished_note() const;
  // Returns true if something that should be saved is only in memory, so that leaving now would
  // lose it.
  bool has_unsaved() const { return record_.has_unsaved(path_); }

 protected:
  ChatState(engine::ChatModel& model, sessions::Store* store, const AnswerOptions& options)
      : model_(&model), record_(store), options_(options) {}
  // A note in progress, and what the model will read once it is complete.
  struct NoteInFlight {
    engine::AnswerId id = engine::AnswerId::none;
    SummaryRequest request;
    sessions::Memory memory;
  };

  ~ChatState() = default;

  // The template's settings for an answer with these options.
  engine::TemplateSettings template_settings(const AnswerOptions& options) const {
    return template_settings(options, model_->info(), begun_at_);
  }
  static engine::TemplateSettings template_settings(
      const AnswerOptions& options, const engine::ModelInfo& model,
      std::optional<std::chrono::sys_seconds> begun_at);
  // Returns false if the path is far too long for the model's context, judging by its bytes.
  // Counting the tokens of such a text would take longer than the rest of opening it.
  static bool may_fit(const MessagePath& path, const engine::ModelInfo& model);
  // The tokens of a path. Throws ModelError.
  int count(const engine::ChatModel& model, const MessagePath& path,
            std::optional<std::chrono::sys_seconds> begun_at) const;
  int count(const MessagePath& path) const { return count(*model_, path, begun_at_); }
  // Throws ModelError if the model's template refuses the path's system prompt. Until something has
  // been said, only a question would show that.
  void check_system(const MessagePath& path) const;

  static bool is_awaited(const AnswerInFlight& answer) noexcept {
    return answer.id != engine::AnswerId::none;
  }

  engine::ChatModel* model_;
  ChatRecord record_;
  AnswerOptions options_;
  MessagePath path_;
  std::optional<std::chrono::sys_seconds> begun_at_;  // the conversation's age, for its template
  // The first is the last message of the path, the others are beside it; or the only one is a
  // summary.
  std::vector<AnswerInFlight> in_flight_;
  std::optional<std::size_t> chosen_;      // one of these
  std::optional<SummaryRequest> summary_;  // in progress
  std::optional<engine::Finished> last_;
  int n_ctx_used_ = 0;
  ContextPolicy policy_;
  std::optional<NoteInFlight> note_;
};

}  // namespace confab::app
