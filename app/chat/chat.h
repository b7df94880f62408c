// SPDX-License-Identifier: MIT
// One conversation with one model: what is said, kept in the database as it happens. Front ends
// show it; this class knows neither screens nor commands. Confined to one thread.
//
// Every function that changes it does all or nothing: where it throws, the chat is as it was.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/chat/chat_state.h"
#include "app/chat/summary.h"
#include "app/options.h"

namespace confab::app {

// What the end of an answer leaves to whoever asked; most often nothing.
struct Outcome {
  // The context does not hold the question: it has been taken back, and stands nowhere any more.
  std::optional<Question> refused = {};
  // Of the conversation before: a new one, which knows this, is open.
  std::optional<std::string> summary = {};
  std::size_t chosen = 0;  // of the answers that have ended, the one that is in messages()
};

class Chat : public ChatState {
 public:
  // The model and the store must outlive the chat; no store, or one that is read-only: nothing is
  // kept.
  Chat(engine::ChatModel& model, sessions::Store* store, const ChatOptions& options);

  AnswerOptions& answer_options() noexcept { return options_; }  // what somebody has set

  // The functions up to stop() may not be called while generating. Those that open or change a
  // conversation throw ModelError when the model's template refuses what it would be told.
  // system: another prompt for this conversation alone.
  void start_new(const std::optional<std::string>& system = {});
  // last: the branch that ends with this message is shown from here on. Throws StoreError.
  void open(const sessions::Conversation& conversation,
            std::optional<sessions::MessageId> last = {});
  // Deletes a conversation, with what of it could not be saved. Of the open one a new one takes the
  // place. Throws StoreError.
  void remove(sessions::ConversationId conversation);
  // Takes back the last n questions and their answers; they stay as a branch.
  void undo(int n);
  // Lets the model forget the first n questions that it reads, and their answers: in a branch of
  // its own, but where some have gone already.
  void forget(int n);
  // Another system prompt from here on; empty: none.
  void set_system(const std::string& text);
  // Another model, which must outlive the chat as the first one must, goes on from here.
  void use_model(engine::ChatModel& model);

  // Saves what the user says, then asks the model for an answer.
  void send(Question question);
  // Questions are given by their number in messages(); none: the last one. Throw UserError when
  // nothing has been asked. Asks for another answer, or for the one that never came.
  // options: of this answer alone, or of several that are written at once: then also edit() and
  // send() throw UserError when they would all be the same.
  void retry(std::optional<std::size_t> question = {}, std::optional<AnswerOptions> options = {});
  // Asks something else instead, with the attachments that the question has.
  void edit(const Question& changed, std::optional<std::size_t> question = {});
  // Lets the model go on with the last answer, which was cut off. Its events, and so the draft,
  // tell the answer from its beginning. Throws UserError when there is none, or it is complete.
  void continue_answer();
  // Asks for a summary, from which a new conversation then goes on; only when it comes to its own
  // end. The open one stays as it is. Throws UserError when nothing has been said.
  void summarise();
  // Lets the model read ahead what has been said and what is being typed.
  void prepare(const Question& draft);
  // What is done when the context is full, from now on: shift, summarise or stop.
  void set_overflow(Overflow overflow);
  // An answer has ended, or a conversation was opened. Where little of the context is left, the
  // oldest turns go before anybody asks on, as the policy says: at once, or when a note on them has
  // been written, which begins here. True: some have gone; let the model read ahead what remains.
  bool make_room();
  // The last answer ended because the context was full: the oldest turns go, whatever the policy
  // is, and it goes on as continue_answer() says. False: it did not end so, or nothing can go.
  bool go_on_with_room();
  // The oldest turns go, where the policy lets them, if this question does not fit beside them and
  // does without. True: some have gone.
  bool make_room_for(const Question& question);
  // Lets the oldest turns go now. False: nothing can.
  bool let_go();
  // Of the turn that begins at this place in messages(): what the model reads of it from now on.
  // One that has gone is read again when it is pinned. Throws UserError when the context does not
  // hold what is then read.
  void set_reading(std::size_t question, sessions::Reading reading);
  // The note in the place of what the model does not read; empty: none. Throws UserError when it
  // reads all, or the context does not hold the note.
  void set_note(const std::string& text);
  // Takes an event of a note that is being written; true: it has come to its end, and stands in the
  // place of the turns that it tells of.
  bool take_note(const engine::Event& event);

  // Answers end within one token; Finished follows.
  void stop() noexcept;
  void stop(std::size_t answer) noexcept;
  // Of the answers that are being written, the one that the conversation is to go on with.
  void choose(std::size_t answer);

  // Takes an event of the model, of one of the answers, into the conversation and the database.
  // While summarising() it is not of an answer that is shown.
  Outcome take(const engine::Event& event, std::size_t answer = 0);

  // One more try to save what could not be: before leaving, and when retry_due() says so.
  void save_rest() { record_.save_rest(path_); }
  std::optional<std::chrono::steady_clock::time_point> retry_due() const noexcept {
    return record_.retry_due();
  }
  // What the person has to be told, once; empty: nothing.
  std::string take_error();
  std::string take_notice();

 private:
  // What is put back when a question turns out not to fit.
  struct Before {
    MessagePath path;
    std::optional<sessions::ConversationId> conversation;
    std::optional<std::chrono::sys_seconds> begun_at;
    std::optional<engine::Finished> last;
    int n_ctx_used;
    std::optional<Question> question;  // that was asked; none: one that had been asked before
    std::vector<Beside> beside;        // the path, where another one is asked from
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

  // Of new conversations; nullopt: the one that the model is recommended with, if any.
  std::optional<std::string> system_;
  std::optional<Before> before_;  // until the model has taken the question
  std::string error_;
  std::string notice_;
};

}  // namespace confab::app
