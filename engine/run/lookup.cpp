// SPDX-License-Identifier: MIT
#include "engine/run/lookup.h"

#include <algorithm>
#include <cassert>

namespace confab::engine {
namespace {

constexpr std::int32_t kNone = -1;

// Sort key of a token: scrambled, so that no text is sorted by it. A list in the order of its token
// ids, repeated once, would otherwise make a tree without branches. Different tokens have different
// keys.
std::uint32_t rank(Token token) noexcept {
  auto bits = static_cast<std::uint32_t>(token) * 0x9e3779b1U;
  bits ^= bits >> 15U;
  return bits * 0x85ebca77U;
}

}  // namespace

Lookup::Lookup(int n_ctx) : n_ctx_(static_cast<std::size_t>(n_ctx)), root_(kNone) {
  assert(n_ctx >= 0);
  tokens_.reserve(n_ctx_);
  nodes_.reserve(n_ctx_);
}

void Lookup::add(Token token) noexcept {
  assert(tokens_.size() < n_ctx_);
  tokens_.push_back(token);
  nodes_.push_back({kNone, kNone});
  insert(n_tokens() - 1);
}

void Lookup::add(std::span<const Token> tokens) noexcept {
  for (const Token token : tokens) add(token);
}

void Lookup::truncate(int n) noexcept {
  assert(n >= 0);
  if (n >= n_tokens()) return;
  tokens_.resize(static_cast<std::size_t>(n));
  rebuild();
}

void Lookup::reset(std::span<const Token> tokens) noexcept {
  assert(tokens.size() <= n_ctx_);
  const bool goes_on =
      tokens.size() >= tokens_.size() && std::equal(tokens_.begin(), tokens_.end(), tokens.begin());
  if (!goes_on) truncate(0);
  add(tokens.subspan(tokens_.size()));
}

void Lookup::rebuild() noexcept {
  nodes_.resize(tokens_.size());
  root_ = kNone;
  match_length_ = 0;
  for (std::int32_t place = 0; place < n_tokens(); ++place) insert(place);
}

// How many tokens up to the two places are equal, given that the first n_known are.
int Lookup::n_agreeing(std::int32_t place, std::int32_t earlier, int n_known) const noexcept {
  int n = n_known;
  while (n < kMaxMatch && n <= earlier && token_at(place - n) == token_at(earlier - n)) ++n;
  return n;
}

// Compares the first token that differs. The beginning of the text sorts before any token.
bool Lookup::sorts_before(std::int32_t earlier, std::int32_t place, int n_agreeing) const noexcept {
  return n_agreeing > earlier ||
         rank(token_at(earlier - n_agreeing)) < rank(token_at(place - n_agreeing));
}

// Splits the tree into places that sort before the new place and places that sort after it.
// `before` and `after` point to where the next piece of each hangs. With everything still to come
// between them, the new place shares as many tokens as with the nearer of the two last met.
void Lookup::insert(std::int32_t place) noexcept {
  Node& added = nodes_[static_cast<std::size_t>(place)];
  std::int32_t *before = &added.before, *after = &added.after;
  int n_before = 0, n_after = 0;
  std::int32_t met = root_;
  root_ = place;
  match_length_ = 0;
  for (int step = 0; met != kNone && step < kMaxSteps; ++step) {
    Node& node = nodes_[static_cast<std::size_t>(met)];
    const int n = n_agreeing(place, met, std::min(n_before, n_after));
    if (n > match_length_) {
      match_length_ = n;
      match_ = met;
    }
    if (n == kMaxMatch) {  // the new place replaces the old one in all later matches
      *before = node.before;
      *after = node.after;
      return;
    }
    if (sorts_before(met, place, n)) {
      *before = met;
      before = &node.after;
      n_before = n;
      met = node.after;
    } else {
      *after = met;
      after = &node.before;
      n_after = n;
      met = node.before;
    }
  }
  *before = *after = kNone;
}

bool Lookup::propose(std::span<Token> draft, int min_match) const noexcept {
  if (match_length_ < std::max(1, min_match)) return false;
  const auto next = static_cast<std::size_t>(match_) + 1;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const std::size_t from = next + i;
    draft[i] = from < tokens_.size() ? tokens_[from] : draft[from - tokens_.size()];
  }
  return true;
}

}  // namespace confab::engine
