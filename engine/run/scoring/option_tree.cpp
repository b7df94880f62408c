// SPDX-License-Identifier: MIT
#include "engine/run/scoring/option_tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace confab::engine {
namespace {

// log(sum(exp(x))) of the logits of these tokens, less `most`, none of which is above it.
template <typename Logits>
double log_sum_exp(const Logits& logits, double most) {
  double sum = 0;
  for (const float x : logits) sum += std::exp(x - most);
  return std::log(sum);
}

}  // namespace

OptionTree::OptionTree(std::span<const std::vector<Token>> options, std::span<const Token> ends)
    : ends_(ends.begin(), ends.end()), nodes_({{.token = -1, .parent = -1}}) {
  for (const std::vector<Token>& option : options) {
    assert(!option.empty());
    int node = kRoot;
    for (const Token token : option) node = child(node, token);
    at(node).is_end = true;
    last_.push_back(node);
  }
  find_paths();
}

int OptionTree::child(int node, Token token) {
  for (const int known : at(node).children)
    if (at(known).token == token) return known;
  const int added = static_cast<int>(nodes_.size());
  nodes_.push_back({.token = token, .parent = node});
  at(node).children.push_back(added);
  return added;
}

std::vector<int> OptionTree::way_to(int node) const {
  std::vector<int> nodes;
  for (; node != kRoot; node = at(node).parent) nodes.push_back(node);
  std::ranges::reverse(nodes);
  return nodes;
}

void OptionTree::find_paths() {
  std::vector<int> path_of(nodes_.size(), -1);  // that runs the node
  const auto runs = [&](int node) -> int& { return path_of[static_cast<std::size_t>(node)]; };
  for (const int node : last_) {
    if (!at(node).children.empty() || runs(node) >= 0) continue;  // on the way to another, or same
    Path path{.nodes = way_to(node)};
    for (const int step : path.nodes) {
      if (runs(step) < 0) {
        runs(step) = static_cast<int>(paths_.size());
        continue;
      }
      path.parent = runs(step);
      ++path.n_shared;
    }
    paths_.push_back(std::move(path));
  }
}

bool OptionTree::take(int node, std::span<const float> logits) {
  if (std::ranges::any_of(logits, [](float x) { return std::isnan(x); })) return false;
  Node& before = at(node);
  const double most = *std::ranges::max_element(logits);
  const double total = most + log_sum_exp(logits, most);
  if (!std::isfinite(total)) return false;
  const auto logit = [&](Token token) { return logits[static_cast<std::size_t>(token)]; };
  for (const int next : before.children) at(next).log_p = logit(at(next).token) - total;
  if (before.is_end) {
    std::vector<float> ends;
    for (const Token token : ends_) ends.push_back(logit(token));
    before.log_p_end = most + log_sum_exp(ends, most) - total;
  }
  before.taken = true;
  return true;
}

OptionScore OptionTree::score(std::size_t option) const {
  OptionScore score{.log_p_end = at(last_[option]).log_p_end};
  for (const int node : way_to(last_[option])) {
    score.tokens.push_back(token(node));
    score.log_p += at(node).log_p;
  }
  return score;
}

}  // namespace confab::engine
