// SPDX-License-Identifier: MIT
// The forward pass: tokens in, rows of logits out, keys and values appended to the cache.
//
// A layer is a few parallel regions. Where it is plain, five: norm+QKV+RoPE+KV append, attention,
// output+residual, norm+gate/up+activation, down+residual; the parts that other layers have in
// their place (experts, latent attention, the delta net) say theirs in the files named
// ..._regions.cpp. All buffers are made in the constructor; run() allocates nothing. Rows do not
// depend on the number of threads, nor on how a prompt is cut into runs.
#pragma once

#include <memory>
#include <span>

#include "engine/api/token.h"
#include "engine/cache/kv_cache.h"
#include "kernels/kernel_table.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

struct ForwardState;
struct Model;

enum class LogitsOf { none, last_token, all_tokens };

class Forward {
 public:
  // The references must outlive the object. exact keeps activations in f32. n_logits: rows of
  // logits that a run may give, at most n_batch.
  struct Options {
    int n_batch = 512;
    bool exact = false;
    int n_logits = 1;
  };
  Forward(const Model& model, const kernels::KernelTable& table, kernels::ThreadPool& pool,
          KvCache& cache, Options options);
  ~Forward();

  // Runs tokens (1..n_batch of them, that fit into the cache, ids < n_vocab) at the positions after
  // cache.n_tokens() and commits them. Returns the logits asked for, [n, n_vocab], borrowed until
  // the next run.
  std::span<const float> run(std::span<const Token> tokens, LogitsOf logits) noexcept;
  // The same, asking go_on(il) before each layer il but the first. Where it says no, the run ends:
  // there are no logits and nothing is committed. Needs can_stop().
  std::span<const float> run(std::span<const Token> tokens, LogitsOf logits,
                             kernels::FunctionRef<bool(int il)> go_on) noexcept;
  // Whether a run may end half-way: not where layers have a state that has moved on by then.
  bool can_stop() const noexcept;

  // Bytes of all buffers, for the memory plan.
  static std::size_t scratch_bytes(const Model& model, int n_threads, Options options);

 private:
  std::unique_ptr<ForwardState> state_;
};

}  // namespace confab::engine
