// SPDX-License-Identifier: MIT
#include "engine/run/drafting.h"

#include <algorithm>

namespace confab::engine {

Drafting::Drafting(int n_ctx, bool on) : on_(on), lookup_(on ? n_ctx + 1 : 0) {}

void Drafting::begin(std::span<const Token> context) {
  if (!on_) return;
  lookup_.reset(context);
  length_.restart();
}

void Drafting::add(Token token) {
  if (on_) lookup_.add(token);
}

// The longer what matches, the further what followed it then is to be trusted.
std::span<const Token> Drafting::propose(int most) {
  if (!on_ || lookup_.match_length() < kMinMatch) return {};
  const int n = length_.next(std::min(most, lookup_.match_length()));
  const std::span<Token> draft = std::span(draft_).first(static_cast<std::size_t>(n));
  return !draft.empty() && lookup_.propose(draft, kMinMatch) ? draft : std::span<Token>();
}

void Drafting::record(int n_drafted, int n_taken, std::chrono::duration<double> time) {
  if (!on_) return;
  length_.record(n_drafted + 1, time);
  length_.accepted(n_drafted, n_taken);
}

}  // namespace confab::engine
