// SPDX-License-Identifier: MIT
#include "engine/constrain/components.h"

#include <algorithm>
#include <cstddef>

namespace confab::engine {
namespace {

using Node = std::int32_t;

constexpr Node kNone = -1;

std::size_t index(Node node) {
  return static_cast<std::size_t>(node);
}

class Search {
 public:
  explicit Search(const std::vector<std::vector<Node>>& edges)
      : edges_(edges), order_(edges.size(), kNone), low_(edges.size()) {
    found_.of.assign(edges.size(), kNone);
  }

  Components run() {
    for (std::size_t node = 0; node < edges_.size(); ++node)
      if (order_[node] == kNone) visit_all(static_cast<Node>(node));
    return std::move(found_);
  }

 private:
  struct Visit {
    Node node;
    std::size_t edge = 0;  // the next to follow
  };

  void visit_all(Node first) {
    enter(first);
    while (!path_.empty()) {
      Visit& at = path_.back();
      const std::vector<Node>& next = edges_[index(at.node)];
      if (at.edge < next.size()) {
        follow(at.node, next[at.edge++]);
        continue;
      }
      const Node node = at.node;
      path_.pop_back();
      if (!path_.empty()) lower(path_.back().node, low_[index(node)]);
      if (low_[index(node)] == order_[index(node)]) close(node);
    }
  }

  void enter(Node node) {
    order_[index(node)] = low_[index(node)] = n_seen_++;
    open_.push_back(node);
    path_.push_back({node});
  }

  void follow(Node node, Node next) {
    if (order_[index(next)] == kNone) return enter(next);
    if (found_.of[index(next)] == kNone) lower(node, order_[index(next)]);
  }

  void lower(Node node, Node to) { low_[index(node)] = std::min(low_[index(node)], to); }

  // All nodes opened since this one form one component.
  void close(Node node) {
    const auto number = static_cast<Node>(found_.is_cycle.size());
    bool is_cycle = open_.back() != node ||
                    std::ranges::find(edges_[index(node)], node) != edges_[index(node)].end();
    found_.is_cycle.push_back(is_cycle);
    for (Node last = kNone; last != node; open_.pop_back()) {
      last = open_.back();
      found_.of[index(last)] = number;
    }
  }

  const std::vector<std::vector<Node>>& edges_;
  Components found_;
  std::vector<Node> order_;  // [nodes] the order in which nodes were seen
  std::vector<Node> low_;    // [nodes] the earliest open node that can be reached
  std::vector<Node> open_;
  std::vector<Visit> path_;
  Node n_seen_ = 0;
};

}  // namespace

Components find_components(const std::vector<std::vector<std::int32_t>>& edges) {
  return Search(edges).run();
}

}  // namespace confab::engine
