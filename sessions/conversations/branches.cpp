// SPDX-License-Identifier: MIT
#include "sessions/conversations/branches.h"

#include <optional>
#include <unordered_map>

#include "sessions/conversations/title.h"

namespace confab::sessions {
namespace {

struct Node {
  const Message* message;
  int n_children = 0;
  int depth = 0;  // number of messages before it
  // The last message on the path to this one, itself included, that has siblings; otherwise the
  // first message.
  const Message* fork;
  int fork_depth = 0;
};

class Tree {
 public:
  explicit Tree(const ConversationTree& tree) {
    for (const Message& m : tree.messages) {
      if (m.parent)
        ++nodes_[*m.parent].n_children;
      else
        ++n_roots_;
      nodes_[m.id].message = &m;
    }
    for (const Message& m : tree.messages) place(nodes_[m.id]);  // parents come first
  }
  const Node& at(MessageId id) { return nodes_[id]; }

 private:
  void place(Node& node) {
    const auto& parent = node.message->parent;
    const int n_siblings = parent ? nodes_[*parent].n_children : n_roots_;
    node.depth = parent ? nodes_[*parent].depth + 1 : 0;
    const bool is_fork = n_siblings > 1 || !parent;
    node.fork = is_fork ? node.message : nodes_[*parent].fork;
    node.fork_depth = is_fork ? node.depth : nodes_[*parent].fork_depth;
  }

  std::unordered_map<MessageId, Node> nodes_;
  int n_roots_ = 0;
};

}  // namespace

std::vector<Branch> branches_of(const ConversationTree& tree) {
  Tree nodes(tree);
  std::vector<Branch> branches;
  for (const Message& m : tree.messages) {
    const Node& node = nodes.at(m.id);
    const bool shown = m.id == tree.conversation.head;
    if (node.n_children > 0 && !shown) continue;
    branches.push_back({.last = m.id,
                        .n_messages = node.depth + 1,
                        .n_before = node.fork_depth,
                        .role = node.fork->role,
                        .begin = title_from(node.fork->content),
                        .shown = shown});
  }
  return branches;
}

}  // namespace confab::sessions
