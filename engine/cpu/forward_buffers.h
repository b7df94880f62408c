// SPDX-License-Identifier: MIT
// Every buffer that the forward pass writes to but the KV cache: one allocation, made once.
//
// Each buffer starts at a cache line of its own. Pages are backed by memory when first written.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "engine/cpu/router.h"
#include "kernels/kernel_table.h"

namespace confab::engine {

struct Plan;

// Rows of a matrix are given to the team in slices of at most this many for each token of a batch.
inline constexpr int kMaxSliceRows = 64;

// The activations of tokens that chose one expert are brought together so many at a time.
inline constexpr int kGatherTokens = 32;

// Formats in which rows of activations are packed.
struct ActFormats {
  bool f32 = false;
  bool q8 = false;
  bool bf16 = false;
  bool has(kernels::ActFormat format) const noexcept {
    return format == kernels::ActFormat::f32 ? f32 : format == kernels::ActFormat::q8 ? q8 : bf16;
  }
  void add(kernels::ActFormat format) noexcept {
    f32 |= format == kernels::ActFormat::f32;
    q8 |= format == kernels::ActFormat::q8;
    bf16 |= format == kernels::ActFormat::bf16;
  }
  ActFormats& operator|=(ActFormats other) noexcept {
    f32 |= other.f32;
    q8 |= other.q8;
    bf16 |= other.bf16;
    return *this;
  }
};

struct ForwardSizes {
  int n_threads = 1;
  int n_batch = 1;     // tokens of a run
  int n_logits = 1;    // rows of logits
  bool exact = false;  // activations stay f32
};

// Of models with experts. Then a row of ForwardBuffers::hidden() is [n_ff] of each expert used, and
// [n_ff_shared].
struct RouterBuffers {
  float* logits;  // [n_batch, n_expert + 1]: the router's, and the gate of the shared experts
  ChosenExpert* chosen;  // [n_batch, n_expert_used]: by token
  ExpertRow* rows;       // the same by expert
  ExpertGroup* groups;   // [n_expert]: the experts that were chosen
};

class ForwardBuffers {
 public:
  ForwardBuffers(const Plan& plan, const ForwardSizes& sizes);
  ~ForwardBuffers();
  ForwardBuffers(const ForwardBuffers&) = delete;
  ForwardBuffers& operator=(const ForwardBuffers&) = delete;

  // What was computed in them is gone; they take memory again as they are written to.
  void give_back() noexcept;
  static std::size_t bytes(const Plan& plan, const ForwardSizes& sizes);

  float* x() const noexcept { return floats(at_.x); }  // [n_batch, n_embd] residual stream
  float* q() const noexcept { return floats(at_.q); }  // [n_batch, n_head, head_dim_k]
  float* k() const noexcept {
    return floats(at_.k);
  }  // [n_batch, n_head_kv, head_dim_k], when
     // keys are normed as rows
  float* q_latent() const noexcept { return floats(at_.q_latent); }  // [n_batch, latent.q_rank]
  float* att() const noexcept { return floats(at_.att); }  // [n_batch, n_head, head_dim_v]
  // What attention of a group of heads gives of slices of positions, for n queries and m slices
  // with n * m <= kAttentionSlices.
  float* attention_partials(int group) const noexcept {
    return floats(at_.partials + at_.partial_bytes * index(group));
  }
  float* y() const noexcept {
    return floats(at_.y);
  }  // [n_batch, n_embd], when what a part of
     // a layer gives is not added at once
  // [n_batch, n_embd], of a plain feed-forward beside experts.
  float* beside() const noexcept { return floats(at_.beside); }
  // Of delta nets: [n_batch, n_channels]; [n_batch, 2 * n_v_heads].
  float* mixed() const noexcept { return floats(at_.mixed); }
  float* beta_alpha() const noexcept { return floats(at_.beta_alpha); }
  // The gates of what heads give, [n_batch, n_head, head_dim_v] or [n_batch, n_v_heads, d_state].
  float* gate() const noexcept { return floats(at_.gate); }
  float* per_layer() const noexcept {
    return floats(at_.per_layer);
  }                                                              // [n_batch, n_layer,
                                                                 // n_embd_per_layer]
  float* hidden() const noexcept { return floats(at_.hidden); }  // [n_batch, n_ff]
  // What the output reads, [n_logits, n_embd]; of all tokens where the model has a head of its own
  // that guesses further tokens.
  float* normed() const noexcept { return floats(at_.normed); }
  RouterBuffers router() const noexcept {
    return {floats(at_.router_logits), at<ChosenExpert>(at_.chosen), at<ExpertRow>(at_.expert_rows),
            at<ExpertGroup>(at_.expert_groups)};
  }
  float* logits() const noexcept { return floats(at_.logits); }  // [n_logits, n_vocab]
  // [n_batch, n_rot / 2] of one of the model's rotations.
  float* cosines(int rope) const noexcept {
    return floats(at_.cosines + at_.rope_bytes * index(rope));
  }
  float* sines(int rope) const noexcept { return floats(at_.sines + at_.rope_bytes * index(rope)); }
  // Packed activations, [n_batch, n] for what any matrix of the format is multiplied by; nullptr
  // where there is no such matrix.
  std::byte* packed(kernels::ActFormat format) const noexcept;
  // One worker's own scratch: a slice or a head of every token, a row of the model, or what
  // attention asks for.
  float* worker(int i) const noexcept;

 private:
  struct Layout {  // offsets in bytes
    std::size_t x, q, k, q_latent, att, partials, partial_bytes, y, beside, mixed, beta_alpha, gate,
        per_layer, hidden, normed, logits, cosines, sines, workers;
    ActFormats formats;                 // that are packed
    std::array<std::size_t, 3> packed;  // by format
    std::size_t router_logits, chosen, expert_rows, expert_groups;
    std::size_t rope_bytes;  // of the cosines of one rotation
    std::size_t worker_bytes;
    std::size_t total;
  };
  static Layout lay_out(const Plan& plan, const ForwardSizes& sizes);
  static std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }
  template <typename T>
  T* at(std::size_t offset) const noexcept {
    return reinterpret_cast<T*>(memory_ + offset);
  }
  float* floats(std::size_t offset) const noexcept { return at<float>(offset); }

  Layout at_;
  ForwardSizes sizes_;
  std::byte* memory_;
};

}  // namespace confab::engine
