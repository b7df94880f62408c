// SPDX-License-Identifier: MIT
// One conversation with one model: what is said, kept in the database as it happens. Front ends
// show it; this class knows neither screens nor commands. Confined to one thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/chat/chat_record.h"
#include "app/options.h"
#include "engine/api/chat_model.h"
#include "sessions/conversations/store.h"

namespace confab::app {

class Chat {
 public:
  // The model and the store must outlive the chat; no store, or one that is read-only: nothing is
  // kept.
  Chat(engine::ChatModel& model, sessions::Store* store, const ChatOptions& options);

  // The branch that is shown, without the system prompt; an answer that is being generated is the
  // last one, a draft.
  std::span<const sessions::Message> messages() const noexcept;
  std::optional<sessions::ConversationId> conversation() const noexcept {
    return record_.conversation();
  }
  bool generating() const noexcept { return generating_; }
  // Of the last answer; nullopt: none in this run.
  const std::optional<engine::Finished>& last() const noexcept { return last_; }
  int n_ctx_used() const noexcept { return n_ctx_used_; }
  const engine::ModelInfo& model_info() const noexcept { return model_->info(); }

  // The functions up to stop() may not be called while generating. open() throws StoreError, and
  // ModelError when the model's template refuses what was said.
  // system: another prompt for this conversation alone.
  void start_new(const std::optional<std::string>& system = {});
  void open(const sessions::Conversation& conversation);

  // Saves what the user says, then asks the model for an answer.
  void send(const std::string& text, std::vector<sessions::Attachment> attachments = {});
  // Questions are given by their number in messages(); none: the last one. Throw UserError when
  // nothing has been asked. Asks for another answer, or for the one that never came.
  void retry(std::optional<std::size_t> question = {});
  // Asks something else instead, with the same attachments.
  void edit(const std::string& text, std::optional<std::size_t> question = {});
  // The question that a message is, or answers. Throws UserError when there is none.
  std::size_t question_of(std::size_t message) const;
  // Takes back the last n questions and their answers; they stay as a branch.
  void undo(int n);
  // Lets the model forget the first n questions and their answers; it is a branch of its own.
  void forget(int n);
  // Another system prompt from here on; empty: none.
  void set_system(const std::string& text);
  // Another model, which must outlive the chat as the first one must, goes on from here.
  void use_model(engine::ChatModel& model);
  // Lets the model go on with the last answer, which was cut off. Its events, and so the draft,
  // tell the answer from its beginning. Throws UserError when there is none, or it is complete.
  void continue_answer();
  // Lets the model read ahead what has been said and what is being typed.
  void prepare(const std::string& draft);
  // One more try to save what could not be: before leaving.
  void save_rest() { record_.save_rest(path_); }
  void stop() noexcept;  // the answer ends within one token; Finished follows

  // Takes an event of the model into the conversation and the database.
  void take(const engine::Event& event);

  std::string system() const;                                    // the prompt; empty: none
  AnswerOptions& answer_options() noexcept { return options_; }  // of the next answers
  // Whether the model should reason before it answers; nullopt: as its template has it.
  std::optional<bool>& thinking() noexcept { return settings_.thinking; }
  // What the model is told, as its template writes it; and its tokens with one more question.
  // Throw ModelError.
  std::string prompt_text() const;
  int count_with(const std::string& question) const;

  // The open branch as a conversation, saved or not.
  sessions::ConversationTree branch() const;
  // What can be done about a last message that is no whole answer; empty: it is one.
  std::string unfinished_note() const;
  // What the person has to be told, once; empty: nothing.
  std::string take_error() { return record_.take_error(); }
  std::string take_notice() { return record_.take_notice(); }

 private:
  void copy_path(std::size_t first, const std::string& system);
  std::vector<engine::Turn> turns() const;
  engine::TemplateSettings settings() const;
  sessions::Message new_answer() const;
  std::size_t question_index(std::optional<std::size_t> question) const;
  std::size_t n_before() const noexcept;
  bool may_fit() const;
  void count_context();
  void ask();
  void generate(std::vector<engine::Turn> turns, bool continues);
  void grow(const std::string& reasoning, const std::string& content,
            const std::vector<engine::Token>& tokens);
  void count(int n_generated);
  void finish_answer(sessions::MessageState state, const sessions::MessageStats& stats);
  std::int64_t origin() const;

  engine::ChatModel* model_;
  ChatOptions options_;
  ChatRecord record_;
  MessagePath path_;                        // the system prompt, if there is one, and messages()
  engine::TemplateSettings settings_;       // `now` is the conversation's age
  std::optional<sessions::Message> begun_;  // the answer that is being continued, as it was
  bool retold_ = false;                     // and whether the model has begun to tell it again
  bool generating_ = false;
  std::optional<engine::Finished> last_;
  int n_prompt_ = 0;     // of the running answer, without what is told of it again
  int n_generated_ = 0;  // tokens that have been told again
  int n_ctx_used_ = 0;
};

}  // namespace confab::app
