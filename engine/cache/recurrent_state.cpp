// SPDX-License-Identifier: MIT
#include "engine/cache/recurrent_state.h"

#include <algorithm>
#include <cassert>

#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

std::size_t conv_floats(const DeltaNetHparams& net) noexcept {
  return static_cast<std::size_t>(net.d_conv - 1) * static_cast<std::size_t>(net.n_channels());
}

std::size_t delta_floats(const DeltaNetHparams& net) noexcept {
  return static_cast<std::size_t>(net.d_state) * static_cast<std::size_t>(net.d_state);
}

std::size_t layer_floats(const DeltaNetHparams& net) noexcept {
  return conv_floats(net) + delta_floats(net) * static_cast<std::size_t>(net.n_v_heads);
}

}  // namespace

RecurrentState::RecurrentState(const Hparams& hp) {
  if (!hp.has_recurrent_layers()) return;
  n_conv_floats_ = conv_floats(hp.delta_net);
  n_delta_floats_ = delta_floats(hp.delta_net);
  for (const LayerHparams& layer : hp.layers) {
    offsets_.push_back(n_floats_);
    if (layer.recurrent) n_floats_ += layer_floats(hp.delta_net);
  }
  allocate();
}

RecurrentState::RecurrentState(const RecurrentState& other)
    : n_conv_floats_(other.n_conv_floats_),
      n_delta_floats_(other.n_delta_floats_),
      n_floats_(other.n_floats_),
      offsets_(other.offsets_) {
  if (empty()) return;
  allocate();
  std::copy_n(other.values_.get(), n_floats_, values_.get());
}

void RecurrentState::allocate() {
  values_ = std::make_unique<float[]>(n_floats_);
  for (int i = 0; i < kMaxCheckpoints; ++i) {
    spare_.push_back(std::unique_ptr<float[]>(new float[n_floats_]));
  }
  checkpoints_.reserve(kMaxCheckpoints);
}

std::size_t RecurrentState::bytes(const Hparams& hp) {
  const auto n_recurrent = std::ranges::count_if(hp.layers, &LayerHparams::recurrent);
  if (n_recurrent == 0) return 0;
  return static_cast<std::size_t>(n_recurrent) * layer_floats(hp.delta_net) * sizeof(float) *
         (1 + kMaxCheckpoints);
}

float* RecurrentState::conv(int il) noexcept {
  assert(!empty());
  return values_.get() + offsets_[static_cast<std::size_t>(il)];
}

float* RecurrentState::delta(int il, int head) noexcept {
  return conv(il) + n_conv_floats_ + n_delta_floats_ * static_cast<std::size_t>(head);
}

// The checkpoint without which the gap between its neighbours is the smallest against its distance
// from the end; never the last.
std::size_t RecurrentState::least_missed() const noexcept {
  std::size_t best = 0;
  double best_gap = 0;
  const int end = checkpoints_.back().n_tokens;
  for (std::size_t i = 0; i + 1 < checkpoints_.size(); ++i) {
    const int before = i == 0 ? 0 : checkpoints_[i - 1].n_tokens;
    const double gap = double(checkpoints_[i + 1].n_tokens - before) /
                       static_cast<double>(end - checkpoints_[i].n_tokens);
    if (i == 0 || gap < best_gap) {
      best = i;
      best_gap = gap;
    }
  }
  return best;
}

void RecurrentState::checkpoint(int n_tokens) noexcept {
  if (empty()) return;
  assert(checkpoints_.empty() || checkpoints_.back().n_tokens < n_tokens);
  if (spare_.empty()) {
    const auto least = checkpoints_.begin() + static_cast<std::ptrdiff_t>(least_missed());
    spare_.push_back(std::move(least->values));
    checkpoints_.erase(least);
  }
  checkpoints_.push_back({n_tokens, std::move(spare_.back())});
  spare_.pop_back();
  std::copy_n(values_.get(), n_floats_, checkpoints_.back().values.get());
}

int RecurrentState::become_saved(const RecurrentState& other, int n_tokens) noexcept {
  const auto saved = std::find_if(other.checkpoints_.rbegin(), other.checkpoints_.rend(),
                                  [=](const Checkpoint& c) { return c.n_tokens <= n_tokens; });
  if (saved == other.checkpoints_.rend()) {
    std::fill_n(values_.get(), n_floats_, 0.0F);
    return 0;
  }
  std::copy_n(saved->values.get(), n_floats_, values_.get());
  return saved->n_tokens;
}

int RecurrentState::rewind(int n_tokens) noexcept {
  while (!checkpoints_.empty() && checkpoints_.back().n_tokens > n_tokens) {
    spare_.push_back(std::move(checkpoints_.back().values));
    checkpoints_.pop_back();
  }
  if (checkpoints_.empty()) {
    std::fill_n(values_.get(), n_floats_, 0.0F);
    return 0;
  }
  std::copy_n(checkpoints_.back().values.get(), n_floats_, values_.get());
  return checkpoints_.back().n_tokens;
}

}  // namespace confab::engine
