// SPDX-License-Identifier: MIT
#include "engine/run/sampling/penalties.h"

#include <cstdlib>

namespace confab::engine {
namespace {

std::size_t n_looked_at(const SamplerParams& p) noexcept {
  const bool on = p.repeat_penalty != 1 || p.frequency_penalty != 0 || p.presence_penalty != 0;
  return on ? static_cast<std::size_t>(p.repeat_last_n) : 0;
}

}  // namespace

Penalties::Penalties(const SamplerParams& params, int n_vocab)
    : repeat_(params.repeat_penalty),
      frequency_(params.frequency_penalty),
      presence_(params.presence_penalty),
      ring_(n_looked_at(params)),
      counts_(are_on() ? static_cast<std::size_t>(n_vocab) : 0) {
  edits_.reserve(ring_.size());
}

void Penalties::accept(Token token) noexcept {
  if (!are_on()) return;
  Token& slot = ring_[next_];
  if (size_ == ring_.size())
    --counts_[static_cast<std::size_t>(slot)];
  else
    ++size_;
  slot = token;
  ++counts_[static_cast<std::size_t>(token)];
  next_ = (next_ + 1) % ring_.size();
}

void Penalties::apply(Candidates& candidates) noexcept {
  edits_.clear();
  for (std::size_t i = 0; i < size_; ++i) {
    int& count = counts_[static_cast<std::size_t>(ring_[i])];
    if (count < 0) continue;
    const float less = static_cast<float>(count) * frequency_ + presence_;
    edits_.push_back({.token = ring_[i], .divisor = repeat_, .less = less});
    count = -count;  // done; the token may stand in the ring again
  }
  for (const LogitEdit& edit : edits_) {
    int& count = counts_[static_cast<std::size_t>(edit.token)];
    count = std::abs(count);
  }
  candidates.edit(edits_);
}

}  // namespace confab::engine
