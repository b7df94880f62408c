// SPDX-License-Identifier: MIT
// Keeps the open conversation in the database in step with the chat.
//
// Messages that cannot be saved (disk full, database locked) stay in memory, even after their path
// has been left. They are saved with the next message that can be, or by save_rest(), which the
// owner calls when retry_due() says so. The person is told once when saving fails, and once when it
// works again; short locks are not reported. A conversation that another program has deleted is
// saved again as a new one. Only read() and remove() throw StoreError. Confined to one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/chat/message_path.h"
#include "sessions/conversations/store.h"

namespace confab::app {

// An answer to the same question as an answer on the path. It is not shown.
struct Beside {
  std::size_t at;  // the index of that answer in the path
  sessions::Message answer;
};

class ChatRecord {
 public:
  // The store must outlive the record. Nothing is saved if it is nullptr or read-only.
  explicit ChatRecord(sessions::Store* store) : store_(store) {}

  std::optional<sessions::ConversationId> conversation() const noexcept { return at_.conversation; }
  // When the conversation was created; nullopt if it has not been saved.
  std::optional<sessions::Time> created() const noexcept { return at_.created; }

  // The branch that ends with `last`, or with the conversation's head if `last` is nullopt. Changes
  // nothing. Throws StoreError.
  MessagePath read(const sessions::Conversation& conversation,
                   std::optional<sessions::MessageId> last) const;

  void start_new() noexcept { at_ = {}; }
  // `path` must come from read().
  void open(const sessions::Conversation& conversation, const MessagePath& path);
  // Makes a saved message the last one shown, now and when the conversation is opened again.
  void show(const sessions::Message& last);
  // Saves the unsaved messages of the path. The first is appended to its predecessor, even if
  // another program has appended something there.
  void save(MessagePath& path);
  // Answers beside the open path that are saved with it. While one is here, the path up to it must
  // not change, but may grow.
  std::vector<Beside>& beside() noexcept { return at_.beside; }
  const std::vector<Beside>& beside() const noexcept { return at_.beside; }
  void forget_saved_beside();  // keeps the ones that could not be saved
  // Writes the current state of the drafts at the end of the path and beside it, at most once a
  // second.
  void save_drafts(const MessagePath& path);
  // Writes an answer on the path or beside it that has just become done, stopped or error.
  void finish(MessagePath& path, const sessions::Message& answer);
  void finish(MessagePath& path) { finish(path, path.back()); }
  // A message of the open path has changed what the model reads.
  void save_reading(MessagePath& path, std::size_t message);
  // Tries again to save what failed to be saved.
  void save_rest(MessagePath& path);
  // When to try again; nullopt if nothing waits to be saved.
  std::optional<std::chrono::steady_clock::time_point> retry_due() const noexcept;
  // Another path replaces this one. Its unsaved messages are kept until they can be saved.
  void leave(const MessagePath& path) { leave(path, std::exchange(at_.beside, {})); }
  void leave(const MessagePath& path, std::vector<Beside> beside);
  // Deletes the open conversation, because its only question was taken back.
  void discard();
  // Deletes a conversation and its unsaved messages for good. Throws StoreError.
  void remove(sessions::ConversationId conversation);
  // Returns true if something that should be saved is only in memory.
  bool has_unsaved(const MessagePath& path) const;

  // Returns the pending message once, then "".
  std::string take_error() { return std::exchange(error_, {}); }
  std::string take_notice() { return std::exchange(notice_, {}); }

 private:
  // Where a path is stored in the database.
  struct Place {
    std::optional<sessions::ConversationId> conversation = {};
    std::optional<sessions::Time> created = {};
    std::optional<sessions::MessageId> head = {};  // of the conversation, as far as we know
    // Saved as drafts, but finished in memory.
    std::vector<sessions::MessageId> unfinished = {};
    std::vector<sessions::MessageId> to_mark = {};  // their reading could not be written
    // The head to set, once that is possible.
    std::optional<sessions::MessageId> to_show = {};
    std::vector<Beside> beside = {};
  };
  struct Left {
    Place at;
    MessagePath path;
  };

  bool is_writable() const;
  bool is_gone(const Place& at) const;
  static bool is_written(const Place& at, const sessions::Message& message);
  static bool is_whole(const Place& at, const MessagePath& path);
  void write(Place& at, MessagePath& path);
  void write_message(Place& at, sessions::Message& message,
                     std::optional<sessions::MessageId> parent);
  void write_beside(Place& at, const MessagePath& path);
  void write_shown(Place& at);
  void write_readings(Place& at, const MessagePath& path);
  void write_left();
  void write_draft(const sessions::Message& draft);
  void create(Place& at, MessagePath& path);
  void append(Place& at, sessions::Message& message, std::optional<sessions::MessageId> parent);
  void write_finished(Place& at, const sessions::Message& answer);
  template <class F>
  void attempt(F f);

  sessions::Store* store_;
  Place at_;
  std::vector<Left> left_;                         // paths no longer open, with unsaved messages
  std::chrono::steady_clock::time_point saved_{};  // when drafts were last written
  bool failing_ = false;                           // the last attempt failed
  bool told_ = false;                              // that saving fails
  std::chrono::steady_clock::time_point failing_since_{};
  std::chrono::steady_clock::time_point failed_{};  // the last failure
  std::string error_;
  std::string notice_;
};

}  // namespace confab::app
