// SPDX-License-Identifier: MIT
#include "sessions/conversations/catalog.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "sessions/conversations/conversation_rows.h"
#include "sessions/conversations/message_rows.h"
#include "sessions/conversations/sql.h"
#include "sessions/conversations/store.h"

namespace confab::sessions {
namespace {

// Siblings share their parent and their role.
using Family = std::pair<std::optional<MessageId>, Role>;

Family family_of(const OutlineMessage& message) {
  return {message.parent, message.role};
}

std::optional<ConversationId> id_of(std::string_view digits) {
  std::int64_t id = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, id);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return ConversationId{id};
}

std::optional<Conversation> with_id(Database& db, std::string_view digits) {
  const auto id = id_of(digits);
  return id ? read_conversation(db, *id) : std::nullopt;
}

std::vector<MessageBegin> begins(Statement rows) {
  std::vector<MessageBegin> messages;
  while (rows.step())
    messages.push_back({role_of(rows.bytes(0)).value_or(Role::user), rows.bytes(1)});
  return messages;
}

}  // namespace

Outline read_outline(Database& database, ConversationId conversation) {
  Statement row(database,
                "SELECT id, parent, role FROM message WHERE conversation = ? ORDER BY id");
  row.bind(1, conversation);
  Outline outline;
  while (row.step()) {
    OutlineMessage message{.id = MessageId{row.integer(0)}, .parent = {}};
    if (!row.is_null(1)) message.parent = MessageId{row.integer(1)};
    message.role = role_of(row.bytes(2)).value_or(Role::user);
    outline.push_back(message);
  }
  return outline;
}

std::vector<SiblingPosition> sibling_positions(const Outline& outline,
                                               std::span<const MessageId> messages) {
  std::map<Family, int> n_children;
  std::map<MessageId, std::pair<Family, int>> placed;
  for (const OutlineMessage& message : outline)
    placed[message.id] = {family_of(message), ++n_children[family_of(message)]};
  std::vector<SiblingPosition> positions;
  for (const MessageId id : messages) {
    const auto found = placed.find(id);
    if (found == placed.end())
      positions.push_back({});
    else
      positions.push_back({found->second.second, n_children[found->second.first]});
  }
  return positions;
}

std::optional<MessageId> sibling_branch(const Outline& outline, MessageId message, int direction) {
  const auto here = std::ranges::find(outline, message, &OutlineMessage::id);
  if (here == outline.end()) return std::nullopt;
  std::vector<MessageId> siblings;
  for (const OutlineMessage& other : outline)
    if (family_of(other) == family_of(*here)) siblings.push_back(other.id);
  const auto target = std::ranges::find(siblings, message) - siblings.begin() + direction;
  if (target < 0 || target >= std::ssize(siblings)) return std::nullopt;
  std::unordered_set<MessageId> behind{siblings[static_cast<std::size_t>(target)]};
  MessageId last = siblings[static_cast<std::size_t>(target)];
  for (const OutlineMessage& other : outline)
    if (other.parent && behind.contains(*other.parent)) {
      behind.insert(other.id);
      last = std::max(last, other.id);
    }
  return last;
}

Catalog::Catalog(Store& store) : store_(store) {}

Database& Catalog::db() {
  return store_.db();
}

std::vector<Conversation> Catalog::find(std::string_view name) {
  if (name.empty()) return {};
  if (name.starts_with('#'))
    if (auto numbered = with_id(db(), name.substr(1))) return {*std::move(numbered)};
  std::vector<Conversation> found = conversations_titled(db(), name);
  auto numbered = with_id(db(), name);
  if (numbered && std::ranges::find(found, numbered->id, &Conversation::id) == found.end())
    found.push_back(*std::move(numbered));
  return found.empty() ? conversations_beginning(db(), name) : found;
}

std::vector<SearchHit> Catalog::search(std::string_view words, int limit) {
  return sessions::search(db(), words, limit);
}

std::vector<MessageBegin> Catalog::last_messages(ConversationId conversation, int n_messages,
                                                 int n_bytes) {
  return begins(db().query(
      "WITH RECURSIVE path(id) AS (SELECT head FROM conversation WHERE id = ? UNION ALL"
      " SELECT m.parent FROM message m JOIN path ON m.id = path.id WHERE m.parent < m.id LIMIT ?)"
      " SELECT role, substr(content, 1, ?) FROM message JOIN path USING(id) ORDER BY id",
      conversation, n_messages, n_bytes));
}

std::vector<MessageBegin> Catalog::first_messages(ConversationId conversation, int n_messages,
                                                  int n_bytes) {
  return begins(
      db().query("SELECT role, substr(content, 1, ?) FROM message WHERE conversation = ?"
                 " AND role <> 'system' ORDER BY id LIMIT ?",
                 n_bytes, conversation, n_messages));
}

Outline Catalog::outline(ConversationId conversation) {
  return read_outline(db(), conversation);
}

std::vector<MessageStats> Catalog::latest_stats(std::string_view model, int limit) {
  return read_latest_stats(db(), model, limit);
}

}  // namespace confab::sessions
