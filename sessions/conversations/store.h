// SPDX-License-Identifier: MIT
// Conversations, kept in one SQLite database: what must never be lost. What is looked up in all of
// them is in sessions/conversations/catalog.h.
//
// When a function that writes returns, what it wrote survives kill -9 and power loss. Several
// programs may use one database at once: writes wait for each other, as long as StoreOptions says,
// and two that append after the same message make two branches. No transaction here lasts long: see
// import() and forget_more(). Confined to one thread.
//
// All functions throw StoreError when the file cannot be read or written; the database is then as
// it was before the call. A damaged file is never deleted, moved or overwritten.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/conversation.h"
#include "sessions/conversations/message.h"

namespace confab::sessions {

class Database;

struct Appended {
  ConversationId conversation;
  MessageId message;
  // The conversation's head was not what the caller took it for: another program has appended since
  // it was read. What each of the two appended is a branch of its own.
  bool branched;
};

struct StoreOptions {
  // How long a call waits for another program before it throws StoreError::Code::locked. A chat
  // that draws a screen has little.
  std::chrono::milliseconds patience{5000};
  // A database that is locked now is no error: calls open it, and throw as long as they cannot.
  bool may_open_later = false;
  // Not empty: nothing is written, and this is the read_only_reason(). A file that is missing is
  // not created, and one of an older program not migrated: that throws.
  std::string read_only_reason = {};
};

// How conversations of a file have come in.
struct Imported {
  std::vector<ConversationId> added;
  std::vector<ConversationId> extended;  // were there, and have got the messages that they lacked
  std::size_t n_known = 0;               // were there, whole
};

class Store {
 public:
  // Opens the database, and creates it (0600) and its directories (0700) when they are missing.
  // Older ones are migrated; one made by a newer program opens read-only.
  explicit Store(const std::filesystem::path& path, StoreOptions options = {});
  // Forgotten when destroyed: for --incognito, and for when no file can be had.
  static Store in_memory();
  ~Store();
  Store(Store&&) noexcept;

  void set_patience(std::chrono::milliseconds patience);

  // Why everything can be read but writing throws: the options say so, the database was made by a
  // newer program, or the file is write-protected. Empty: it can be written. (A directory or disk
  // that takes nothing is only found by writing.)
  const std::string& read_only_reason() const noexcept;

  // A conversation that begins with these messages, each the next one's parent; at least one.
  // An empty title is made from the first user message as soon as there is one; when that says too
  // little, from the first answer, until a user message says more (sessions/conversations/title.h).
  Appended create_conversation(std::span<const NewMessage> messages, std::string_view title = {});
  // Adds a child of `parent` (nullopt: another first message) and moves the head to it. seen_head
  // is the head that the caller knows of; nullopt: the parent. Throws when the parent is not of
  // this conversation, or has been deleted.
  Appended append_message(ConversationId conversation, std::optional<MessageId> parent,
                          const NewMessage& message,
                          std::optional<MessageId> seen_head = std::nullopt);
  // Replaces what a draft holds so far. Throws when it is no draft, or has been deleted.
  void update_draft(MessageId message, const AnswerContent& answer);
  // The last change of a draft: it becomes done, stopped or error. Doing it again is no error: one
  // that failed may have worked, when it was the last sync of the disk that did not.
  void finish_message(MessageId message, MessageState state, const AnswerContent& answer,
                      const MessageStats& stats);
  // What a model reads of its branch. Changes nothing else, nor when the conversation was updated.
  // Of a message that has been deleted: nothing.
  void set_reading(MessageId message, Reading reading, const std::optional<Memory>& memory);
  // Shows another branch: the one that ends with this message of the conversation.
  void set_head(ConversationId conversation, MessageId head);
  void rename(ConversationId conversation, std::string_view title);  // throws when it is blank
  void set_pinned(ConversationId conversation, bool pinned);
  // Its text is gone from the file as well, and its words from the search index when forget_more()
  // has said so. Deleting twice is no error.
  void remove(ConversationId conversation);
  // The index is written anew without the words that were deleted, a short step at a time: a large
  // one takes seconds in all. True: there is more to do, in this run or another one.
  bool forget_more();
  // False: forget_more() would do nothing.
  bool has_to_forget() const noexcept { return has_to_forget_; }
  // Adds these as new conversations, all or none. Ids are given anew, of what is inside as well;
  // everything else stays as it is, but for drafts, which become stopped, and titles that are
  // empty, which are made. Throws when a tree is empty, or a message's parent is not before it.
  std::vector<ConversationId> insert(std::span<const ConversationTree> trees);
  // As insert(), one after the other in short transactions that let other programs in between, and
  // only what is not there yet: see sessions/conversations/import.h. What it throws says how far it
  // has come, and all of that stays.
  Imported import(std::span<const ConversationTree> trees);

  std::optional<Conversation> conversation(ConversationId id);
  std::optional<Conversation> latest_conversation();  // the one that was changed last
  // Pinned ones first, then as they were last updated; -1: all.
  std::vector<Conversation> list(int limit = -1);
  // From the first message to the conversation's head (throws when there is no such conversation),
  // or to `last` (empty when there is no such message).
  std::vector<Message> messages(ConversationId conversation);
  std::vector<Message> messages_to(MessageId last);
  // All branches. Throws when there is no such conversation.
  ConversationTree tree(ConversationId conversation);

 private:
  friend class Catalog;
  Store() = default;
  Database& db();
  void open();

  std::filesystem::path path_;  // empty: in memory
  StoreOptions options_;
  std::unique_ptr<Database> db_;  // null: it could not be opened yet
  bool has_to_forget_ = true;     // until that has been looked up
};

}  // namespace confab::sessions
