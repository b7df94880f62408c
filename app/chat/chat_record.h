// SPDX-License-Identifier: MIT
// The open conversation in the database: keeps what is stored in step with what is said.
//
// What cannot be saved (disk full, locked, deleted by another program) stays in memory and is saved
// with the next message that can be; the person is told once when saving fails, and once when it
// works again. Nothing here throws StoreError but open(). Confined to one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sessions/conversations/store.h"

namespace confab::app {

// From the first message to the one that is shown last. An id of 0: not saved yet.
using MessagePath = std::vector<sessions::Message>;

class ChatRecord {
 public:
  // The store must outlive the record; nullptr, or one that is read-only: nothing is saved.
  explicit ChatRecord(sessions::Store* store) : store_(store) {}

  std::optional<sessions::ConversationId> conversation() const noexcept { return conversation_; }
  // When the conversation was begun; nullopt: it has not been saved.
  std::optional<sessions::Time> created() const noexcept { return created_; }

  void start_new();
  MessagePath open(const sessions::Conversation& conversation);  // throws StoreError

  // A saved message is the last one that is shown now.
  void show(const sessions::Message& last);
  // Saves what of the path is not saved. The first of these is appended to the one before it,
  // whatever else has been appended there.
  void save(MessagePath& path);
  // Writes what a draft has come to; does nothing more often than once a second.
  void save_draft(const sessions::Message& draft);
  // Writes an answer that has just become done, stopped or error.
  void finish(MessagePath& path);
  // One more try for what could not be saved: before the path is forgotten.
  void save_rest(MessagePath& path);

  // What the person has to be told, once; empty: nothing.
  std::string take_error() { return std::exchange(error_, {}); }
  std::string take_notice() { return std::exchange(notice_, {}); }

 private:
  bool is_writable() const;
  void create(MessagePath& path);
  void append(MessagePath& path, std::size_t i);
  void write_finished(const sessions::Message& answer);
  template <class F>
  void attempt(F f);

  sessions::Store* store_;
  std::optional<sessions::ConversationId> conversation_;
  std::optional<sessions::Time> created_;
  std::optional<sessions::MessageId> head_;  // of the conversation, as far as we know
  std::optional<sessions::MessageId>
      unfinished_;  // a draft in the database, but no more in the path
  std::chrono::steady_clock::time_point saved_{};  // the draft
  bool failing_ = false;                           // the last attempt did not work
  std::string error_;
  std::string notice_;
};

}  // namespace confab::app
