// SPDX-License-Identifier: MIT
// One conversation with one model, kept in the database as it happens. Front ends show it; this
// class knows nothing of screens or commands. Confined to one thread.
//
// Every function that changes the chat does all or nothing: if it throws, the chat is unchanged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/chat/chat_state.h"
#include "app/chat/summary.h"
#include "app/options.h"

namespace confab::app {

// The result of an event that ended an answer; usually nothing.
struct Outcome {
  // The question did not fit into the context and has been removed from the chat.
  std::optional<Question> refused = {};
  // A summary of the previous conversation; a new conversation that begins with it is open.
  std::optional<std::string> summary = {};
  std::size_t chosen = 0;  // of several answers, the one now in messages()
};

class Chat : public ChatState {
 public:
  // The model and the store must outlive the chat. Nothing is kept if `store` is nullptr or
  // read-only.
  Chat(engine::ChatModel& model, sessions::Store* store, const ChatOptions& options);

  AnswerOptions& answer_options() noexcept { return options_; }  // as set by the person

  // The functions up to stop() must not be called while generating. The ones that open or change a
  // conversation throw ModelError if the model's template refuses the resulting prompt.
  // system: a system prompt for this conversation only.
  void start_new(const std::optional<std::string>& system = {});
  // Opens a conversation; `last` selects the branch that ends with this message. Throws StoreError.
  void open(const sessions::Conversation& conversation,
            std::optional<sessions::MessageId> last = {});
  // Deletes a conversation, including its unsaved parts. If it was open, a new one replaces it.
  // Throws StoreError.
  void remove(sessions::ConversationId conversation);
  // Takes back the last n questions and their answers. They stay as a branch.
  void undo(int n);
  // Makes the model forget the first n questions that it reads, and their answers. This opens a new
  // branch, unless earlier questions have already left the context.
  void forget(int n);
  // Changes the system prompt from here on; "" removes it.
  void set_system(const std::string& text);
  // Continues with another model, which must outlive the chat.
  void use_model(engine::ChatModel& model);

  // Saves the question, then asks the model for an answer.
  void send(Question question);
  // `question` is an index into messages(); nullopt means the last question. Throws UserError if
  // nothing has been asked.
  // Asks for another answer, or for one that never came. `options` apply to this answer only. If
  // they ask for several answers that would all be equal, retry(), edit() and send() throw
  // UserError.
  void retry(std::optional<std::size_t> question = {}, std::optional<AnswerOptions> options = {});
  // Asks a changed question in place of this one, with the original's attachments.
  void edit(const Question& changed, std::optional<std::size_t> question = {});
  // Lets the model continue the last answer, which was cut off. Its events and its draft repeat the
  // answer from the start. Throws UserError if there is no answer, or if it is complete.
  void continue_answer();
  // Asks for a summary. If it is completed, a new conversation continues from it; the open one does
  // not change. Throws UserError if nothing has been said.
  void summarise();
  // Lets the model read ahead what has been said and what is being typed.
  void prepare(const Question& draft);
  // Sets what happens when the context is full: shift, summarise or stop.
  void set_overflow(Overflow overflow);
  // Call it after an answer or after opening a conversation. If little of the context is left, the
  // oldest turns leave it before the next question, as the policy says: at once, or after a note on
  // them has been written, which starts here. Returns true if turns have left, so that the model
  // can read ahead what remains.
  bool make_room();
  // If the last answer ended because the context was full, removes the oldest turns from the
  // context, whatever the policy, and continues the answer as continue_answer() does. Returns false
  // if the answer ended otherwise or no turn can leave.
  bool go_on_with_room();
  // If the policy allows it, removes the oldest turns from the context when this question does not
  // fit beside them but does without them. Returns true if turns have left.
  bool make_room_for(const Question& question);
  // Removes the oldest turns from the context now. Returns false if none can leave.
  bool let_go();
  // Sets what the model reads of the turn that starts at this index in messages(). Pinning a turn
  // that has left the context brings it back. Throws UserError if the context is too small for the
  // result.
  void set_reading(std::size_t question, sessions::Reading reading);
  // Sets the note that stands for the turns outside the context; "" removes it. Throws UserError if
  // the model reads everything, or if the note does not fit.
  void set_note(const std::string& text);
  // Takes an event of a note that is being written. Returns true once the note is complete and
  // replaces its turns.
  bool take_note(const engine::Event& event);

  // Ends answers within one token; Finished follows.
  void stop() noexcept;
  void stop(std::size_t answer) noexcept;
  // Chooses the answer, of those being written, that the conversation continues with.
  void choose(std::size_t answer);

  // Takes an event of one of the answers into the conversation and the database. While
  // summarising(), events belong to the summary.
  Outcome take(const engine::Event& event, std::size_t answer = 0);

  // Tries again to save what failed to be saved. Call it before leaving, and when retry_due() says
  // so.
  void save_rest() { record_.save_rest(path_); }
  std::optional<std::chrono::steady_clock::time_point> retry_due() const noexcept {
    return record_.retry_due();
  }
  // Returns the pending message once, then "".
  std::string take_error();
  std::string take_notice();

 private:
  // The state to restore if a question turns out not to fit.
  struct Before {
    MessagePath path;
    std::optional<sessions::ConversationId> conversation;
    std::optional<std::chrono::sys_seconds> begun_at;
    std::optional<engine::Finished> last;
    int n_ctx_used;
    std::optional<Question> question;  // the new question; nullopt if an earlier one is asked again
    std::vector<Beside> beside;  // answers beside the old path, if this question branches off it
  };

  void copy_path(MessagePath path, const std::string& system);
  sessions::Message new_answer(const AnswerOptions& options) const;
  MessagePath path_to(std::optional<std::size_t> question) const;
  engine::GenerateRequest request_for(std::vector<engine::Turn> turns,
                                      const AnswerOptions& options) const;
  Before before(const MessagePath& path);
  void add_answers(MessagePath& path, const AnswerOptions& options);
  void ask(MessagePath path, std::optional<Question> question, const AnswerOptions& options);
  void start(MessagePath path, std::optional<Question> question, engine::GenerateRequest request);
  std::optional<Question> take_back();
  sessions::Message& message(std::size_t answer);
  void fill_context(std::size_t answer, int n_tokens);
  template <class Delta>
  void grow(std::size_t answer, const Delta& delta);
  Outcome finish_answer(std::size_t number, sessions::MessageState state,
                        const sessions::MessageStats& stats);
  Outcome end_answers();
  Outcome take_failure(std::size_t answer, const engine::Failed& failed);
  Outcome take_of_summary(const engine::Event& event);
  Outcome take_summary();
  void ask_for(SummaryRequest summary);
  int room_after_answer() const;
  int least_room() const;
  std::optional<sessions::Memory> next_memory(const MessagePath& path, int room) const;
  bool make_it_fit(MessagePath& path) const;
  std::optional<sessions::Memory> memory_to_go_on() const;
  void forget_more(int n);
  void apply(const sessions::Memory& memory, std::size_t message);
  MessagePath path_for_note(const sessions::Memory& memory) const;
  void begin_note(sessions::Memory memory);
  void ask_for_note();
  bool end_note(const std::string& text);
  void drop_note() noexcept;
  void require_room(int n_used) const;
  void summarise_less();

  // For new conversations; nullopt means the prompt recommended for the model, if any.
  std::optional<std::string> system_;
  std::optional<Before> before_;  // until the model has accepted the question
  std::string error_;
  std::string notice_;
};

}  // namespace confab::app
