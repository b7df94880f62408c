// SPDX-License-Identifier: MIT
// One conversation with one model: what is said, kept in the database as it happens. Front ends
// show it; this class knows neither screens nor commands. Confined to one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "engine/chat_model.h"
#include "sessions/store.h"

namespace confab::app {

struct ChatMessage {
  sessions::Role role;
  std::string content;
  sessions::MessageState state = sessions::MessageState::done;
  std::vector<engine::Token> tokens = {};  // an answer as sampled by this model, else empty
  std::string reasoning = {};              // of an answer: what the model thought first
};

class Chat {
 public:
  // The model and the store must outlive the chat; no store: nothing is kept.
  Chat(engine::ChatModel& model, sessions::Store* store, const ChatOptions& options);

  // The conversation that is open, without the system prompt; an answer that is being generated is
  // the last one, a draft.
  const std::vector<ChatMessage>& messages() const noexcept { return messages_; }
  std::optional<sessions::ConversationId> conversation() const noexcept { return conversation_; }
  bool generating() const noexcept { return generating_; }
  // Of the last answer; nullopt: none in this run.
  const std::optional<engine::Finished>& last() const noexcept { return last_; }
  int n_ctx_used() const noexcept { return n_ctx_used_; }
  const engine::ModelInfo& model_info() const noexcept { return model_.info(); }

  // Neither may be called while generating. open() throws ModelError when the model's template
  // refuses what was said.
  void start_new();
  void open(const sessions::Conversation& conversation);

  // Saves what the user says, then asks the model for an answer. Not while generating.
  void send(const std::string& text, std::vector<sessions::Attachment> attachments = {});
  void stop() noexcept;  // the answer ends within one token; Finished follows

  // Takes an event of the model into the conversation and the database.
  void take(const engine::Event& event);

 private:
  std::vector<engine::Turn> turns() const;
  void save_question(const std::string& text, std::vector<sessions::Attachment> attachments);
  void begin_answer();
  void save_draft();
  void finish_answer(sessions::MessageState state, const sessions::MessageStats& stats);
  bool is_own(const sessions::Message& message) const;

  engine::ChatModel& model_;
  sessions::Store* store_;
  ChatOptions options_;
  std::string system_;  // of the open conversation
  std::vector<ChatMessage> messages_;
  std::optional<sessions::ConversationId> conversation_;
  std::optional<sessions::MessageId> head_;    // the last saved message
  std::optional<sessions::MessageId> answer_;  // the draft of the running answer
  std::chrono::steady_clock::time_point saved_{};
  bool generating_ = false;
  std::optional<engine::Finished> last_;
  int n_prompt_ = 0;  // of the running answer
  int n_ctx_used_ = 0;
};

}  // namespace confab::app
