// SPDX-License-Identifier: MIT
// What the recurrent layers of a model remember of all tokens so far: a state of fixed size for
// each layer, which cannot forget its last tokens as a KV cache can. So it is saved at some
// positions, the more the nearer to the end, and going back means going to one of those.
//
// Tokens that may have to be forgotten one by one, as those of a draft, stay in flight: the state
// is that before them, and what they change it by is kept, and so is the state after all of them.
// Until the next run they can be forgotten at no cost. That goes on from the state after all, or
// takes in those that are left.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace confab::engine {

struct Hparams;

class RecurrentState {
 public:
  // All zero: before the first token. Empty for a model without recurrent layers: it only counts
  // tokens then. max_in_flight: tokens of a run that may stay in flight.
  explicit RecurrentState(const Hparams& hparams, int max_in_flight = 0);
  // As truncate(n_tokens) would leave another one, but with nothing saved; it takes in what is in
  // flight.
  RecurrentState(const RecurrentState& other, int n_tokens);

  bool empty() const noexcept { return sizes_.n_layers == 0; }
  // With those in flight.
  int n_tokens() const noexcept { return n_tokens_; }
  // The last inputs of a layer's convolution, [conv_kernel - 1, n_channels], the oldest first.
  float* conv(int il) noexcept;
  // The matrix of a layer's value head, [d_state, d_state], a row for each entry of the value.
  float* delta(int il, int head) noexcept;

  // The last tokens that are not in the state yet.
  int n_in_flight() const noexcept { return n_in_flight_; }
  bool may_stay_in_flight(int n) const noexcept { return n <= max_in_flight_; }
  // Of the tokens in flight, what goes into a layer's convolution, [max_in_flight, n_channels], and
  // into the gates of its heads, [max_in_flight, 2 * n_v_heads]; conv() and delta() after all of
  // them. A run whose tokens are to stay in flight writes these, once it has taken in what was.
  float* inputs_in_flight(int il) noexcept { return inputs(index(il)); }
  float* gates_in_flight(int il) noexcept { return gates(index(il)); }
  float* conv_after(int il) noexcept;
  float* delta_after(int il, int head) noexcept;
  // A run begins: where all that was in flight is left, the state is that after it.
  void settle() noexcept;
  // A run of n further tokens is over, which all are in flight, or none is.
  void commit(int n, bool in_flight) noexcept;

  // Saves the state without the tokens in flight, to go back to; may drop one that was saved.
  void checkpoint() noexcept;
  // Forgets later tokens. Where those are not all in flight it goes back to the last saved state of
  // at most n_tokens tokens, or to the start. Returns how many are left.
  int truncate(int n_tokens) noexcept;

  // Memory of the state and all that may be saved or in flight, in bytes.
  static std::size_t bytes(const Hparams& hparams, int max_in_flight);

 private:
  static constexpr int kMaxCheckpoints = 6;

  struct Checkpoint {
    int n_tokens;
    std::unique_ptr<float[]> values;  // as values_
  };
  struct Sizes {  // in floats
    explicit Sizes(const Hparams& hparams);
    std::size_t conv = 0, delta = 0;    // of a layer; of a head
    std::size_t inputs = 0, gates = 0;  // of a token in flight
    std::size_t layer = 0;
    std::size_t n_layers = 0;
  };
  void allocate();
  std::size_t n_floats() const noexcept { return sizes_.n_layers * sizes_.layer; }
  std::size_t n_floats_in_flight() const noexcept {  // of a layer
    return static_cast<std::size_t>(max_in_flight_) * (sizes_.inputs + sizes_.gates);
  }
  std::size_t index(int il) const noexcept { return indices_[static_cast<std::size_t>(il)]; }
  // Of the layer of this index.
  float* inputs(std::size_t layer) const noexcept;
  float* gates(std::size_t layer) const noexcept;
  int n_settled() const noexcept { return n_tokens_ - n_in_flight_; }
  const Checkpoint* last_saved(int n_tokens) const noexcept;
  void become(const Checkpoint* saved) noexcept;
  std::size_t least_missed() const noexcept;

  Sizes sizes_;
  int max_in_flight_;
  std::vector<std::size_t> indices_;  // of each layer among those that are recurrent

  int n_tokens_ = 0;
  int n_in_flight_ = 0;
  bool all_left_ = false;                // of what is in flight
  std::unique_ptr<float[]> values_;      // of each layer: conv(), then delta() by head
  std::unique_ptr<float[]> in_flight_;   // of each layer: inputs, then gates; nullptr: none may be
  std::unique_ptr<float[]> after_;       // as values_, likewise
  std::vector<Checkpoint> checkpoints_;  // by n_tokens
  std::vector<std::unique_ptr<float[]>> spare_;  // memory for checkpoints that are not in use
};

}  // namespace confab::engine
