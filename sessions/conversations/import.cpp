// SPDX-License-Identifier: MIT
#include "sessions/conversations/import.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sessions/conversations/conversation_rows.h"
#include "sessions/conversations/message_rows.h"
#include "sessions/conversations/sql.h"
#include "sessions/conversations/title.h"
#include "sessions/error.h"

namespace confab::sessions {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A transaction ends once it has lasted this long, and the next one begins after the gap. The gap
// is longer than the pauses at which a waiting program checks the lock.
constexpr milliseconds kTransaction{50};
constexpr milliseconds kGap{20};

// Maps the ids of a tree to the messages in the database.
using Places = std::map<MessageId, MessageId>;

Time known_time(Time time) {
  if (time != Time{}) return time;
  return std::chrono::time_point_cast<Time::duration>(std::chrono::system_clock::now());
}

std::int64_t stored(Time time) {
  return known_time(time).time_since_epoch().count();
}

ConversationId insert_conversation(Database& db, const Conversation& c) {
  const bool named = !is_blank_title(c.title);
  db.run(
      "INSERT INTO conversation(title, title_given, pinned, head, created, updated, used)"
      " VALUES(?, ?, ?, 0, ?, ?, -1)",
      named ? c.title : "", named && c.title_given ? 1 : 0, c.pinned ? 1 : 0, stored(c.created),
      stored(c.updated));
  return ConversationId{db.last_insert_id()};
}

// Marks the conversation as complete: `used` is -1 while messages are missing.
void end_conversation(Database& db, ConversationId conversation) {
  make_title_of_anything(db, conversation);
  db.run("UPDATE conversation SET used = 0 WHERE id = ? AND used = -1", conversation);
}

void set_head(Database& db, ConversationId conversation, MessageId head) {
  if (db.run("UPDATE conversation SET head = ? WHERE id = ?", head, conversation) == 0)
    throw StoreError(fmt::format("{}: conversation {} was deleted while it was being imported",
                                 db.name(), static_cast<std::int64_t>(conversation)));
}

// Inserts the messages that have no place yet, and calls `after` after each.
void insert_messages(Database& db, ConversationId id, const ConversationTree& tree, Places& places,
                     const std::function<void(MessageId)>& after) {
  const bool untitled = is_blank_title(tree.conversation.title);
  for (const Message& given : tree.messages) {
    if (places.contains(given.id)) continue;
    Message message = given;
    message.created = known_time(message.created);
    if (message.state == MessageState::draft) message.state = MessageState::stopped;
    std::optional<MessageId> parent;
    if (message.parent) parent = places.at(*message.parent);
    const MessageId made = insert_message(db, id, parent, message);
    places.emplace(given.id, made);
    if (untitled) make_title(db, id, made, message);
    if (untitled && message.role == Role::assistant)
      make_title_of_answer(db, made, message.content);
    after(made);
  }
}

// --- what is known already

// Identifies a message together with all messages before it. Different messages always have
// different texts.
std::string identity(const std::string& parent, const NewMessage& message) {
  std::string text = fmt::format("{}{} {} {} ", parent, name_of(message.role),
                                 message.content.size(), message.reasoning.size());
  text.append(message.content).append(message.reasoning);
  for (const Attachment& file : message.attachments)
    text += fmt::format(" {} {} {}", file.name.size(), file.name, file.content_hash);
  return content_hash(text);
}

using Identities = std::unordered_map<std::string, MessageId>;

// The identities in the order of the tree's messages.
std::vector<std::string> identities_of(const ConversationTree& tree) {
  std::vector<std::string> all;
  std::map<MessageId, std::size_t> at;
  for (const Message& message : tree.messages) {
    all.push_back(identity(message.parent ? all[at.at(*message.parent)] : "", message));
    at.emplace(message.id, all.size() - 1);
  }
  return all;
}

// The known conversations, by their first message. Their other messages are read when needed.
class Known {
 public:
  struct Candidate {
    ConversationId id;
    Time created;
    bool is_part;  // an import ended before its last message
    std::optional<Identities> messages = {};
  };

  explicit Known(Database& db) : db_(db) {
    Statement rows(db,
                   "SELECT m.conversation, c.created, m.role, m.content, c.used FROM message m"
                   " JOIN conversation c ON c.id = m.conversation WHERE m.parent IS NULL");
    while (rows.step())
      by_beginning_.emplace(first_words(rows.bytes(2), rows.bytes(3)),
                            Candidate{.id = ConversationId{rows.integer(0)},
                                      .created = Time{Time::duration{rows.integer(1)}},
                                      .is_part = rows.integer(4) < 0});
  }

  // The conversations that begin as the tree does.
  std::vector<Candidate*> beginning_as(const ConversationTree& tree) {
    std::vector<Candidate*> found;
    const Message& first = tree.messages.front();
    const auto [begin, end] =
        by_beginning_.equal_range(first_words(std::string(name_of(first.role)), first.content));
    for (auto it = begin; it != end; ++it)
      if (tree.conversation.created == Time{} || it->second.created == tree.conversation.created)
        found.push_back(&it->second);
    return found;
  }

  const Identities& messages_of(Candidate& candidate) {
    if (candidate.messages) return *candidate.messages;
    candidate.messages.emplace();
    const ConversationTree tree{.conversation = {}, .messages = read_tree(db_, candidate.id)};
    const std::vector<std::string> identities = identities_of(tree);
    for (std::size_t i = 0; i < identities.size(); ++i)
      candidate.messages->emplace(identities[i], tree.messages[i].id);
    return *candidate.messages;
  }

  void add(const ConversationTree& tree, ConversationId id) {
    const Message& first = tree.messages.front();
    by_beginning_.emplace(
        first_words(std::string(name_of(first.role)), first.content),
        Candidate{.id = id, .created = known_time(tree.conversation.created), .is_part = false});
  }

 private:
  static std::string first_words(const std::string& role, const std::string& content) {
    return content_hash(role + ' ' + content);
  }

  Database& db_;
  std::unordered_multimap<std::string, Candidate> by_beginning_;
};

class Importer {
 public:
  explicit Importer(Database& db) : db_(db), known_(db) {}

  Imported run(std::span<const ConversationTree> trees) {
    for (const ConversationTree& tree : trees) check_tree(tree);
    try {
      begin();
      for (const ConversationTree& tree : trees) {
        take(tree);
        ++n_taken_;
        breathe();
      }
      transaction_->commit();
    } catch (const StoreError& fault) {
      throw StoreError(fmt::format("{}; {} of {} conversations are in: import the file again for "
                                   "the others",
                                   fault.what(), n_committed_, trees.size()),
                       fault.code());
    }
    return std::move(imported_);
  }

 private:
  void begin() {
    transaction_.emplace(db_);
    begun_ = Clock::now();
  }

  void breathe() {
    if (Clock::now() - begun_ < kTransaction) return;
    transaction_->commit();
    n_committed_ = n_taken_;
    transaction_.reset();
    std::this_thread::sleep_for(kGap);
    begin();
  }

  void take(const ConversationTree& tree) {
    const std::vector<std::string> identities = identities_of(tree);
    Known::Candidate* to_extend = nullptr;
    for (Known::Candidate* candidate : known_.beginning_as(tree)) {
      const Identities& there = known_.messages_of(*candidate);
      std::size_t n = 0;
      for (const std::string& message : identities) n += there.contains(message) ? 1 : 0;
      if (n == identities.size()) {
        ++imported_.n_known;
        return;
      }
      const bool is_rest = candidate->is_part && n == there.size();
      if (n > 0 && (tree.conversation.created != Time{} || is_rest)) to_extend = candidate;
    }
    if (to_extend != nullptr)
      extend(tree, identities, *to_extend);
    else
      add(tree);
  }

  void add(const ConversationTree& tree) {
    const ConversationId id = insert_conversation(db_, tree.conversation);
    Places places;
    // The part that is in the database is a valid conversation at any time; a repeated import
    // continues it.
    insert_messages(db_, id, tree, places, [&](MessageId made) {
      if (Clock::now() - begun_ < kTransaction) return;
      set_head(db_, id, made);
      breathe();
    });
    set_head(db_, id, places.at(tree.conversation.head));
    end_conversation(db_, id);
    known_.add(tree, id);
    imported_.added.push_back(id);
  }

  // Moves the head to the new messages if they continue the branch that is shown.
  void extend(const ConversationTree& tree, const std::vector<std::string>& identities,
              Known::Candidate& candidate) {
    Places places;
    for (std::size_t i = 0; i < identities.size(); ++i)
      if (const auto found = candidate.messages->find(identities[i]);
          found != candidate.messages->end())
        places.emplace(tree.messages[i].id, found->second);
    insert_messages(db_, candidate.id, tree, places, [this](MessageId) { breathe(); });
    const auto conversation = read_conversation(db_, candidate.id);
    if (conversation && is_on_way(tree, places, conversation->head))
      set_head(db_, candidate.id, places.at(tree.conversation.head));
    end_conversation(db_, candidate.id);
    candidate.is_part = false;
    candidate.messages.reset();
    imported_.extended.push_back(candidate.id);
  }

  // Whether the message in the database is on the path to the tree's head.
  static bool is_on_way(const ConversationTree& tree, const Places& places, MessageId message) {
    std::map<MessageId, std::optional<MessageId>> parents;
    for (const Message& one : tree.messages) parents.emplace(one.id, one.parent);
    for (std::optional<MessageId> at = tree.conversation.head; at; at = parents.at(*at))
      if (places.at(*at) == message) return true;
    return false;
  }

  Database& db_;
  Known known_;
  Imported imported_;
  std::optional<Transaction> transaction_;
  Clock::time_point begun_;
  std::size_t n_taken_ = 0;
  std::size_t n_committed_ = 0;  // how many of these are committed
};

}  // namespace

void check_tree(const ConversationTree& tree) {
  std::set<MessageId> seen;
  for (const Message& message : tree.messages) {
    if (!seen.empty() && message.id <= *seen.rbegin())
      throw StoreError("a conversation to add has messages out of order");
    if (message.parent && !seen.contains(*message.parent))
      throw StoreError(
          fmt::format("a conversation to add refers to message {}, which is not before it",
                      static_cast<std::int64_t>(*message.parent)));
    seen.insert(message.id);
  }
  if (!seen.contains(tree.conversation.head))
    throw StoreError("a conversation to add has no last message");
}

ConversationId insert_tree(Database& db, const ConversationTree& tree) {
  check_tree(tree);
  const ConversationId id = insert_conversation(db, tree.conversation);
  Places places;
  insert_messages(db, id, tree, places, [](MessageId) {});
  set_head(db, id, places.at(tree.conversation.head));
  end_conversation(db, id);
  return id;
}

Imported import_trees(Database& db, std::span<const ConversationTree> trees) {
  return Importer(db).run(trees);
}

}  // namespace confab::sessions
