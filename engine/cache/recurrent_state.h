// SPDX-License-Identifier: MIT
// The memory that a model's recurrent layers keep of all tokens so far. Each layer has a state of
// fixed size. Unlike a KV cache, it cannot forget its last tokens. So the state is saved at some
// positions, more densely near the end, and going back means returning to one of them.
//
// Tokens that may have to be forgotten one by one, for example those of a draft, stay in flight.
// The state is then the one before them; the changes they make are kept separately, and so is the
// state after all of them. Until the next run they can be forgotten at no cost. The next run
// continues from the state after all of them, or first takes in those that are left.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace confab::engine {

struct Hparams;

class RecurrentState {
 public:
  // All zero: the state before the first token. For a model without recurrent layers it only counts
  // tokens. max_in_flight: how many tokens of a run may stay in flight.
  explicit RecurrentState(const Hparams& hparams, int max_in_flight = 0);
  // The state that other.truncate(n_tokens) would leave, without checkpoints. The next run takes in
  // any tokens in flight.
  RecurrentState(const RecurrentState& other, int n_tokens);

  bool empty() const noexcept { return sizes_.n_layers == 0; }
  // Includes tokens in flight.
  int n_tokens() const noexcept { return n_tokens_; }
  // A layer's last convolution inputs, [conv_kernel - 1, n_channels], oldest first.
  float* conv(int il) noexcept;
  // The matrix of a layer's value head, [d_state, d_state], one row per entry of the value.
  float* delta(int il, int head) noexcept;

  // How many of the last tokens are not in the state yet.
  int n_in_flight() const noexcept { return n_in_flight_; }
  bool may_stay_in_flight(int n) const noexcept { return n <= max_in_flight_; }
  // For tokens in flight: the inputs of a layer's convolution, [max_in_flight, n_channels]; the
  // inputs of the gates of its heads, [max_in_flight, 2 * n_v_heads]; and conv() and delta() after
  // all of them. A run whose tokens are to stay in flight writes these, after it has taken in the
  // earlier ones.
  float* inputs_in_flight(int il) noexcept { return inputs(index(il)); }
  float* gates_in_flight(int il) noexcept { return gates(index(il)); }
  float* conv_after(int il) noexcept;
  float* delta_after(int il, int head) noexcept;
  // Call it when a run begins. If everything in flight is left, the state after it becomes the
  // state.
  void settle() noexcept;
  // A run of n tokens is over. Either all of them are in flight or none is.
  void commit(int n, bool in_flight) noexcept;

  // Saves the state before the tokens in flight, to go back to. May drop an older checkpoint.
  void checkpoint() noexcept;
  // Forgets later tokens. If not all of those are in flight, goes back to the last checkpoint with
  // at most n_tokens tokens, or to the start. Returns how many are left.
  int truncate(int n_tokens) noexcept;

  // Bytes of the state, of all checkpoints, and of what may be in flight.
  static std::size_t bytes(const Hparams& hparams, int max_in_flight);

 private:
  static constexpr int kMaxCheckpoints = 6;

  struct Checkpoint {
    int n_tokens;
    std::unique_ptr<float[]> values;  // as values_
  };
  struct Sizes {  // in floats
    explicit Sizes(const Hparams& hparams);
    std::size_t conv = 0, delta = 0;    // per layer; per head
    std::size_t inputs = 0, gates = 0;  // per token in flight
    std::size_t layer = 0;
    std::size_t n_layers = 0;
  };
  void allocate();
  std::size_t n_floats() const noexcept { return sizes_.n_layers * sizes_.layer; }
  std::size_t n_floats_in_flight() const noexcept {  // per layer
    return static_cast<std::size_t>(max_in_flight_) * (sizes_.inputs + sizes_.gates);
  }
  std::size_t index(int il) const noexcept { return indices_[static_cast<std::size_t>(il)]; }
  // `layer` is the index among recurrent layers.
  float* inputs(std::size_t layer) const noexcept;
  float* gates(std::size_t layer) const noexcept;
  int n_settled() const noexcept { return n_tokens_ - n_in_flight_; }
  const Checkpoint* last_saved(int n_tokens) const noexcept;
  void become(const Checkpoint* saved) noexcept;
  std::size_t least_missed() const noexcept;

  Sizes sizes_;
  int max_in_flight_;
  std::vector<std::size_t> indices_;  // of each layer, among the recurrent ones

  int n_tokens_ = 0;
  int n_in_flight_ = 0;
  bool all_left_ = false;                        // everything in flight is left
  std::unique_ptr<float[]> values_;              // per layer: conv(), then delta() by head
  std::unique_ptr<float[]> in_flight_;           // per layer: inputs, then gates; may be nullptr
  std::unique_ptr<float[]> after_;               // laid out as values_; may be nullptr
  std::vector<Checkpoint> checkpoints_;          // in order of n_tokens
  std::vector<std::unique_ptr<float[]>> spare_;  // memory of unused checkpoints
};

}  // namespace confab::engine
