// SPDX-License-Identifier: MIT
#include "engine/cache/recurrent_state.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/model/hparams.h"

namespace confab::engine {

RecurrentState::Sizes::Sizes(const Hparams& hp) {
  n_layers = static_cast<std::size_t>(std::ranges::count_if(hp.layers, &LayerHparams::recurrent));
  if (n_layers == 0) return;
  const DeltaNetHparams& net = hp.delta_net;
  const auto n_heads = static_cast<std::size_t>(net.n_v_heads);
  inputs = static_cast<std::size_t>(net.n_channels());
  gates = 2 * n_heads;
  conv = static_cast<std::size_t>(net.d_conv - 1) * inputs;
  delta = static_cast<std::size_t>(net.d_state) * static_cast<std::size_t>(net.d_state);
  layer = conv + n_heads * delta;
}

RecurrentState::RecurrentState(const Hparams& hp, int max_in_flight)
    : sizes_(hp), max_in_flight_(empty() ? 0 : max_in_flight) {
  if (empty()) return;
  std::size_t n_before = 0;
  for (const LayerHparams& layer : hp.layers) {
    indices_.push_back(n_before);
    if (layer.recurrent) ++n_before;
  }
  allocate();
  become(nullptr);
}

RecurrentState::RecurrentState(const RecurrentState& other, int n_tokens)
    : sizes_(other.sizes_),
      max_in_flight_(other.max_in_flight_),
      indices_(other.indices_),
      n_tokens_(n_tokens) {
  assert(n_tokens >= 0 && n_tokens <= other.n_tokens_);
  if (empty()) return;
  allocate();
  if (n_tokens < other.n_settled()) {
    become(other.last_saved(n_tokens));
    return;
  }
  std::copy_n(other.values_.get(), n_floats(), values_.get());
  n_in_flight_ = n_tokens - other.n_settled();
  const auto n = static_cast<std::size_t>(n_in_flight_);
  for (std::size_t i = 0; i < sizes_.n_layers; ++i) {
    std::copy_n(other.inputs(i), n * sizes_.inputs, inputs(i));
    std::copy_n(other.gates(i), n * sizes_.gates, gates(i));
  }
}

void RecurrentState::allocate() {
  const auto floats = [](std::size_t n) { return std::unique_ptr<float[]>(new float[n]); };
  values_ = floats(n_floats());
  if (max_in_flight_ > 0) {
    in_flight_ = floats(sizes_.n_layers * n_floats_in_flight());
    after_ = floats(n_floats());
  }
  for (int i = 0; i < kMaxCheckpoints; ++i) spare_.push_back(floats(n_floats()));
  checkpoints_.reserve(kMaxCheckpoints);
}

std::size_t RecurrentState::bytes(const Hparams& hp, int max_in_flight) {
  const Sizes sizes(hp);
  const std::size_t of_layer =
      sizes.layer * (1 + kMaxCheckpoints + (max_in_flight > 0 ? 1 : 0)) +
      (sizes.inputs + sizes.gates) * static_cast<std::size_t>(max_in_flight);
  return sizes.n_layers * of_layer * sizeof(float);
}

float* RecurrentState::conv(int il) noexcept {
  assert(!empty());
  return values_.get() + index(il) * sizes_.layer;
}

float* RecurrentState::delta(int il, int head) noexcept {
  return conv(il) + sizes_.conv + sizes_.delta * static_cast<std::size_t>(head);
}

float* RecurrentState::conv_after(int il) noexcept {
  assert(max_in_flight_ > 0);
  return after_.get() + index(il) * sizes_.layer;
}

float* RecurrentState::delta_after(int il, int head) noexcept {
  return conv_after(il) + sizes_.conv + sizes_.delta * static_cast<std::size_t>(head);
}

float* RecurrentState::inputs(std::size_t layer) const noexcept {
  return in_flight_.get() + layer * n_floats_in_flight();
}

float* RecurrentState::gates(std::size_t layer) const noexcept {
  return inputs(layer) + sizes_.inputs * static_cast<std::size_t>(max_in_flight_);
}

void RecurrentState::commit(int n, bool in_flight) noexcept {
  assert(!in_flight || may_stay_in_flight(n));
  n_tokens_ += n;
  n_in_flight_ = in_flight ? n : 0;
  all_left_ = in_flight;
}

void RecurrentState::settle() noexcept {
  if (!std::exchange(all_left_, false)) return;
  n_in_flight_ = 0;
  values_.swap(after_);
}

// The checkpoint that would be missed least: the gap left between its neighbours is smallest
// relative to its distance from the end. Never the last one.
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

void RecurrentState::checkpoint() noexcept {
  if (empty()) return;
  const int n_tokens = n_settled();
  if (!checkpoints_.empty() && checkpoints_.back().n_tokens == n_tokens) return;
  assert(checkpoints_.empty() || checkpoints_.back().n_tokens < n_tokens);
  if (spare_.empty()) {
    const auto least = checkpoints_.begin() + static_cast<std::ptrdiff_t>(least_missed());
    spare_.push_back(std::move(least->values));
    checkpoints_.erase(least);
  }
  checkpoints_.push_back({n_tokens, std::move(spare_.back())});
  spare_.pop_back();
  std::copy_n(values_.get(), n_floats(), checkpoints_.back().values.get());
}

// nullptr if no checkpoint has at most so many tokens.
const RecurrentState::Checkpoint* RecurrentState::last_saved(int n_tokens) const noexcept {
  const auto saved =
      std::find_if(checkpoints_.rbegin(), checkpoints_.rend(),
                   [=](const Checkpoint& checkpoint) { return checkpoint.n_tokens <= n_tokens; });
  return saved == checkpoints_.rend() ? nullptr : &*saved;
}

// Restores a checkpoint, or the start if it is nullptr.
void RecurrentState::become(const Checkpoint* saved) noexcept {
  n_in_flight_ = 0;
  all_left_ = false;
  n_tokens_ = saved == nullptr ? 0 : saved->n_tokens;
  if (saved == nullptr)
    std::fill_n(values_.get(), n_floats(), 0.0F);
  else
    std::copy_n(saved->values.get(), n_floats(), values_.get());
}

int RecurrentState::truncate(int n_tokens) noexcept {
  assert(n_tokens >= 0 && n_tokens <= n_tokens_);
  if (empty()) return n_tokens_ = n_tokens;
  if (n_tokens >= n_settled()) {
    all_left_ = all_left_ && n_tokens == n_tokens_;
    n_in_flight_ = n_tokens - n_settled();
    return n_tokens_ = n_tokens;
  }
  while (!checkpoints_.empty() && checkpoints_.back().n_tokens > n_tokens) {
    spare_.push_back(std::move(checkpoints_.back().values));
    checkpoints_.pop_back();
  }
  become(last_saved(n_tokens));
  return n_tokens_;
}

}  // namespace confab::engine
