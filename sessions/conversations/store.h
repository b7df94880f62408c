// SPDX-License-Identifier: MIT
// The store of conversations, one SQLite database, which must never lose anything. Look-ups over
// all conversations are in sessions/conversations/catalog.h.
//
// When a function that writes returns, its changes survive kill -9 and power loss. Several programs
// may use one database at once. Their writes wait for each other, as long as StoreOptions says, and
// two programs that append after the same message make two branches. No transaction lasts long: see
// import() and forget_more(). Confined to one thread.
//
// All functions throw StoreError if the file cannot be read or written; the database is then as it
// was before the call. A damaged file is never deleted, moved or overwritten.
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
  // The conversation's head was not the one that the caller knew: another program has appended
  // since the caller read it. What each of the two appended is now its own branch.
  bool branched;
};

struct StoreOptions {
  // How long a call waits for another program before it throws StoreError::Code::locked. A chat
  // that draws a screen can only wait briefly.
  std::chrono::milliseconds patience{5000};
  // A locked database is not an error at first: later calls open it, and throw as long as they
  // cannot.
  bool may_open_later = false;
  // If not empty, nothing is written and this is the read_only_reason(). A missing file is then not
  // created, and the database of an older program is not migrated: that throws.
  std::string read_only_reason = {};
};

// The outcome of importing the conversations of a file.
struct Imported {
  std::vector<ConversationId> added;
  std::vector<ConversationId>
      extended;             // were known, and have received the messages that they lacked
  std::size_t n_known = 0;  // were completely known
};

class Store {
 public:
  // Opens the database. If it is missing, creates it (0600) and its directories (0700). Migrates an
  // older one; a database of a newer program opens read-only.
  explicit Store(const std::filesystem::path& path, StoreOptions options = {});
  // A store that is forgotten when destroyed: for --incognito, and for when no file can be used.
  static Store in_memory();
  ~Store();
  Store(Store&&) noexcept;

  void set_patience(std::chrono::milliseconds patience);

  // Why reading works but writing throws: the options say so, a newer program made the database, or
  // the file is write-protected. Empty: writing works. (Only a write reveals that a directory or
  // disk accepts nothing.)
  const std::string& read_only_reason() const noexcept;

  // Creates a conversation that begins with these messages (at least one), each the parent of the
  // next. An empty title is made from the first user message as soon as there is one. If that says
  // too little, the title comes from the first answer, until a user message says more
  // (sessions/conversations/title.h).
  Appended create_conversation(std::span<const NewMessage> messages, std::string_view title = {});
  // Adds a child of `parent` (nullopt: another first message) and moves the head to it. seen_head
  // is the head that the caller knows; nullopt: the parent. Throws if the parent does not belong to
  // this conversation or has been deleted.
  Appended append_message(ConversationId conversation, std::optional<MessageId> parent,
                          const NewMessage& message,
                          std::optional<MessageId> seen_head = std::nullopt);
  // Replaces the content of a draft. Throws if the message is not a draft or has been deleted.
  void update_draft(MessageId message, const AnswerContent& answer);
  // Makes the last change to a draft: it becomes done, stopped or error. A repeated call is not an
  // error, because a call that failed may have succeeded except for its last sync of the disk.
  void finish_message(MessageId message, MessageState state, const AnswerContent& answer,
                      const MessageStats& stats);
  // Sets what a model reads of the message's branch. Changes nothing else, not even when the
  // conversation was updated. Does nothing if the message has been deleted.
  void set_reading(MessageId message, Reading reading, const std::optional<Memory>& memory);
  // Shows the branch that ends with this message of the conversation.
  void set_head(ConversationId conversation, MessageId head);
  void rename(ConversationId conversation, std::string_view title);  // throws if the title is blank
  void set_pinned(ConversationId conversation, bool pinned);
  // Deletes the conversation. Its text is gone from the file at once; its words are gone from the
  // search index once forget_more() returns false. Deleting twice is not an error.
  void remove(ConversationId conversation);
  // Rewrites part of the index without the deleted words. Each step is short; a large index takes
  // seconds in total. Returns true if there is more to do, in this run or a later one.
  bool forget_more();
  // False if forget_more() would do nothing.
  bool has_to_forget() const noexcept { return has_to_forget_; }
  // Adds these as new conversations, all or none. Conversations and messages get new ids.
  // Everything else stays as it is, except that drafts become stopped and empty titles are
  // generated. Throws if a tree is empty, or a message does not come after its parent.
  std::vector<ConversationId> insert(std::span<const ConversationTree> trees);
  // Like insert(), but adds only what is not known yet (sessions/conversations/import.h), one
  // conversation after the other, in short transactions that let other programs in between. If it
  // throws, the message says how far it got, and everything up to there stays.
  Imported import(std::span<const ConversationTree> trees);

  std::optional<Conversation> conversation(ConversationId id);
  std::optional<Conversation> latest_conversation();  // the conversation that was changed last
  // Pinned conversations first, then by last update; -1: all.
  std::vector<Conversation> list(int limit = -1);
  // Messages from the first to the conversation's head (throws if there is no such conversation),
  // or to `last` (empty if there is no such message).
  std::vector<Message> messages(ConversationId conversation);
  std::vector<Message> messages_to(MessageId last);
  // The conversation with all branches. Throws if there is no such conversation.
  ConversationTree tree(ConversationId conversation);

 private:
  friend class Catalog;
  Store() = default;
  Database& db();
  void open();

  std::filesystem::path path_;  // empty: the database is in memory
  StoreOptions options_;
  std::unique_ptr<Database> db_;  // null: it could not be opened yet
  bool has_to_forget_ = true;     // true until the database has been asked
};

}  // namespace confab::sessions
