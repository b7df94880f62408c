// SPDX-License-Identifier: MIT
#include "sessions/conversations/outline.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "sessions/conversations/sql.h"

namespace confab::sessions {
namespace {

// What siblings have in common.
using Family = std::pair<std::optional<MessageId>, Role>;

Family family_of(const OutlineMessage& message) {
  return {message.parent, message.role};
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

}  // namespace confab::sessions
