// SPDX-License-Identifier: MIT
// The open conversation in the database: keeps what is stored in step with what is said.
//
// What cannot be saved (disk full, locked) stays in memory, also when the path that it is of has
// been left, and is saved with the next message that can be, or by save_rest(), which is called
// when retry_due() says so; the person is told once when saving fails, and once when it works
// again. A lock that is soon gone is not worth telling. A conversation that another program has
// deleted is saved again as a new one. Nothing here throws StoreError but read() and remove().
// Confined to one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/chat/message_path.h"
#include "sessions/conversations/store.h"

namespace confab::app {

// An answer that stands beside one of a path: to the same question, and not shown.
struct Beside {
  std::size_t at;  // the place of that one in the path
  sessions::Message answer;
};

class ChatRecord {
 public:
  // The store must outlive the record; nullptr, or one that is read-only: nothing is saved.
  explicit ChatRecord(sessions::Store* store) : store_(store) {}

  std::optional<sessions::ConversationId> conversation() const noexcept { return at_.conversation; }
  // When the conversation was begun; nullopt: it has not been saved.
  std::optional<sessions::Time> created() const noexcept { return at_.created; }

  // The branch of a conversation that ends with `last`; nullopt: with its head. Changes nothing.
  // Throws StoreError.
  MessagePath read(const sessions::Conversation& conversation,
                   std::optional<sessions::MessageId> last) const;

  void start_new() noexcept { at_ = {}; }
  // The path is one that read() gave.
  void open(const sessions::Conversation& conversation, const MessagePath& path);
  // A saved message is the last one that is shown now, and when the conversation is opened again.
  void show(const sessions::Message& last);
  // Saves what of the path is not saved. The first of these is appended to the one before it,
  // whatever else has been appended there.
  void save(MessagePath& path);
  // What is saved, and kept until it can be, with the open path. As long as it stands there the
  // path may grow, but not change up to there.
  std::vector<Beside>& beside() noexcept { return at_.beside; }
  const std::vector<Beside>& beside() const noexcept { return at_.beside; }
  void forget_saved_beside();  // leaves of them what could not be saved
  // Writes what the drafts at the end of the path and beside it have come to; does nothing more
  // often than once a second.
  void save_drafts(const MessagePath& path);
  // Writes an answer, of the path or beside it, that has just become done, stopped or error.
  void finish(MessagePath& path, const sessions::Message& answer);
  void finish(MessagePath& path) { finish(path, path.back()); }
  // What the model reads has changed, by a message of the open path.
  void save_reading(MessagePath& path, std::size_t message);
  // One more try for what could not be saved.
  void save_rest(MessagePath& path);
  // nullopt: nothing waits to be saved.
  std::optional<std::chrono::steady_clock::time_point> retry_due() const noexcept;
  // Another path takes the place of this one: what of it could not be saved is kept until it can.
  void leave(const MessagePath& path) { leave(path, std::exchange(at_.beside, {})); }
  void leave(const MessagePath& path, std::vector<Beside> beside);
  // The open conversation was begun for nothing: it is deleted.
  void discard();
  // Deletes a conversation, and what of it could not be saved: none of it comes back. Throws
  // StoreError.
  void remove(sessions::ConversationId conversation);
  // Whether anything is in memory only that should be saved.
  bool has_unsaved(const MessagePath& path) const;

  // What the person has to be told, once; empty: nothing.
  std::string take_error() { return std::exchange(error_, {}); }
  std::string take_notice() { return std::exchange(notice_, {}); }

 private:
  // Where a path is in the database.
  struct Place {
    std::optional<sessions::ConversationId> conversation = {};
    std::optional<sessions::Time> created = {};
    std::optional<sessions::MessageId> head = {};  // of the conversation, as far as we know
    // Drafts in the database, but no more in the path or beside it.
    std::vector<sessions::MessageId> unfinished = {};
    std::vector<sessions::MessageId> to_mark = {};  // whose reading could not be written
    // What is to be its head, but could not be made so.
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
  std::vector<Left> left_;  // what could not be saved of paths that are no longer open
  std::chrono::steady_clock::time_point saved_{};  // the drafts
  bool failing_ = false;                           // the last attempt did not work
  bool told_ = false;                              // of that
  std::chrono::steady_clock::time_point failing_since_{};
  std::chrono::steady_clock::time_point failed_{};  // last
  std::string error_;
  std::string notice_;
};

}  // namespace confab::app
