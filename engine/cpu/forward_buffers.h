// SPDX-License-Identifier: MIT
// Every buffer that the forward pass writes to, except the KV cache, in one allocation made once.
//
// Each buffer starts on its own cache line. The system backs a page with memory when it is first
// written.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "engine/cpu/router.h"
#include "kernels/kernel_table.h"

namespace confab::engine {

struct Plan;

// Workers get rows of a matrix in slices of at most this many rows per token of a batch.
inline constexpr int kMaxSliceRows = 64;

// The activations of tokens that chose the same expert are gathered this many at a time.
inline constexpr int kGatherTokens = 32;

// The formats in which rows of activations are packed.
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
  bool exact = false;  // keep activations in f32
};

// Used by models with experts. In these, a row of ForwardBuffers::hidden() holds [n_ff] for each
// expert used, then [n_ff_shared].
struct RouterBuffers {
  // [n_batch, n_expert + 1]: the router's logits, then the gate of the shared experts
  float* logits;
  ChosenExpert* chosen;  // [n_batch, n_expert_used], ordered by token
  ExpertRow* rows;       // the same choices, ordered by expert
  ExpertGroup* groups;   // [n_expert]: one entry per chosen expert
};

class ForwardBuffers {
 public:
  ForwardBuffers(const Plan& plan, const ForwardSizes& sizes);
  ~ForwardBuffers();
  ForwardBuffers(const ForwardBuffers&) = delete;
  ForwardBuffers& operator=(const ForwardBuffers&) = delete;

  // Returns the memory to the system and loses the contents. Writing to a buffer takes memory
  // again.
  void give_back() noexcept;
  static std::size_t bytes(const Plan& plan, const ForwardSizes& sizes);

  float* x() const noexcept { return floats(at_.x); }  // [n_batch, n_embd], the residual stream
  float* q() const noexcept { return floats(at_.q); }  // [n_batch, n_head, head_dim_k]
  // [n_batch, n_head_kv, head_dim_k]; used for keys that are normed as rows, and for latent
  // attention.
  float* k() const noexcept { return floats(at_.k); }
  float* q_latent() const noexcept { return floats(at_.q_latent); }  // [n_batch, latent.q_rank]
  float* att() const noexcept { return floats(at_.att); }  // [n_batch, n_head, head_dim_v]
  // The partial results of attention for a group of heads: m slices of positions for n queries,
  // with n * m <= kAttentionSlices.
  float* attention_partials(int group) const noexcept {
    return floats(at_.partials + at_.partial_bytes * index(group));
  }
  // [n_batch, n_embd]: the output of a part of a layer that is not added to x at once.
  float* y() const noexcept { return floats(at_.y); }
  // [n_batch, n_embd]: the output of a dense feed-forward that runs beside experts.
  float* beside() const noexcept { return floats(at_.beside); }
  // For delta nets: [n_batch, n_channels] and [n_batch, 2 * n_v_heads].
  float* mixed() const noexcept { return floats(at_.mixed); }
  float* beta_alpha() const noexcept { return floats(at_.beta_alpha); }
  // Gates of the heads' outputs, [n_batch, n_head, head_dim_v] or [n_batch, n_v_heads, d_state].
  float* gate() const noexcept { return floats(at_.gate); }
  // [n_batch, n_layer, n_embd_per_layer]
  float* per_layer() const noexcept { return floats(at_.per_layer); }
  float* hidden() const noexcept { return floats(at_.hidden); }  // [n_batch, n_ff]
  // The input of the output matrix, [n_logits, n_embd]. If the model has a draft head, [n_batch,
  // n_embd]: the head reads it for all tokens.
  float* normed() const noexcept { return floats(at_.normed); }
  RouterBuffers router() const noexcept {
    return {floats(at_.router_logits), at<ChosenExpert>(at_.chosen), at<ExpertRow>(at_.expert_rows),
            at<ExpertGroup>(at_.expert_groups)};
  }
  float* logits() const noexcept { return floats(at_.logits); }  // [n_logits, n_vocab]
  // [n_batch, n_rot / 2] for one of the model's rotations.
  float* cosines(int rope) const noexcept {
    return floats(at_.cosines + at_.rope_bytes * index(rope));
  }
  float* sines(int rope) const noexcept { return floats(at_.sines + at_.rope_bytes * index(rope)); }
  // Packed activations, [n_batch, n] with the largest n of any matrix that reads this format.
  // nullptr if no matrix reads it.
  std::byte* packed(kernels::ActFormat format) const noexcept;
  // Private scratch of one worker. Holds a slice or a head of every token, or one row of the model,
  // or the scratch of attention.
  float* worker(int i) const noexcept;

 private:
  struct Layout {  // offsets in bytes
    std::size_t x, q, k, q_latent, att, partials, partial_bytes, y, beside, mixed, beta_alpha, gate,
        per_layer, hidden, normed, logits, cosines, sines, workers;
    ActFormats formats;                 // that are in use
    std::array<std::size_t, 3> packed;  // indexed by format
    std::size_t router_logits, chosen, expert_rows, expert_groups;
    std::size_t rope_bytes;  // of one rotation's cosines
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
