// SPDX-License-Identifier: MIT
// What the recurrent layers of a model remember of all tokens so far: a state of fixed size for
// each layer, which cannot forget its last tokens as a KV cache can. So it is saved at some
// positions, the more the nearer to the end, and going back means going to one of those.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace confab::engine {

struct Hparams;

class RecurrentState {
 public:
  // All zero: before the first token. Empty for a model without recurrent layers.
  explicit RecurrentState(const Hparams& hparams);
  // As another one is, with nothing saved.
  RecurrentState(const RecurrentState& other);

  bool empty() const noexcept { return n_floats_ == 0; }
  // The last inputs of a layer's convolution, [conv_kernel - 1, n_channels], the oldest first.
  float* conv(int il) noexcept;
  // The matrix of a layer's value head, [d_state, d_state], a row for each entry of the value.
  float* delta(int il, int head) noexcept;

  // Saves the state as that after n_tokens tokens, more than those of the last that was saved; may
  // drop an earlier one.
  void checkpoint(int n_tokens) noexcept;
  // Goes back to the last saved state of at most n_tokens tokens, or to the start; forgets the
  // later ones. Returns its number of tokens.
  int rewind(int n_tokens) noexcept;
  // Becomes what another one has saved, as if that were rewound. Returns its number of tokens.
  int become_saved(const RecurrentState& other, int n_tokens) noexcept;

  // Memory of the state and all that may be saved, in bytes.
  static std::size_t bytes(const Hparams& hparams);

 private:
  static constexpr int kMaxCheckpoints = 6;

  struct Checkpoint {
    int n_tokens;
    std::unique_ptr<float[]> values;  // [n_floats_]
  };
  void allocate();
  std::size_t least_missed() const noexcept;

  std::size_t n_conv_floats_ = 0;
  std::size_t n_delta_floats_ = 0;
  std::size_t n_floats_ = 0;
  std::vector<std::size_t> offsets_;  // of each layer in the values
  std::unique_ptr<float[]> values_;
  std::vector<Checkpoint> checkpoints_;          // by n_tokens
  std::vector<std::unique_ptr<float[]>> spare_;  // memory for checkpoints that are not in use
};

}  // namespace confab::engine
