// SPDX-License-Identifier: MIT
// The forward pass: takes tokens, returns rows of logits, and appends keys and values to the cache.
//
// A layer is a few parallel regions. A plain layer has five: norm+QKV+RoPE+KV append, attention,
// output+residual, norm+gate/up+activation, down+residual. Layers with experts, latent attention or
// a delta net have other regions, described in the files named ..._regions.cpp. All buffers are
// allocated in the constructor; run() allocates nothing. A row of results depends neither on the
// number of threads nor on how a prompt is cut into runs.
#pragma once

#include <memory>
#include <span>

#include "engine/api/token.h"
#include "engine/cache/decoder.h"
#include "engine/cache/kv_cache.h"
#include "engine/model/model_part.h"
#include "kernels/kernel_table.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

struct ForwardState;

// Tokens of one sequence. They take the positions after those already in its cache.
struct SequenceTokens {
  KvCache* cache;
  std::span<const Token> tokens;
  LogitsOf logits;
};

class Forward {
 public:
  // The references, and the Model behind `model`, must outlive the object. n_ctx is the length of
  // the longest sequence. `exact` keeps activations in f32. n_logits is the most rows of logits
  // that a run may return, at most n_batch.
  struct Options {
    int n_batch = 512;
    bool exact = false;
    int n_logits = 1;
  };
  Forward(ModelView model, const kernels::KernelTable& table, kernels::ThreadPool& pool, int n_ctx,
          Options options);
  ~Forward();

  // Runs tokens of one or more sequences and commits them. Each sequence appears once and has at
  // least one token; its tokens must fit into its cache, token ids must be below n_vocab, and all
  // sequences together have 1 to n_batch tokens. If all logits of a sequence are wanted and the
  // cache allows it, its tokens are committed in flight (KvCache::commit()). Before each layer il >
  // 0, calls go_on(il); if that returns false, nothing is committed and run() returns false, which
  // needs can_stop(). Throws OutOfPages and ModelError as KvCache::make_room() does.
  bool run(std::span<const SequenceTokens> sequences, kernels::FunctionRef<bool(int il)> go_on);
  // Results of the last run for its i-th sequence: the logits that were asked for, [n, n_vocab].
  // hidden() returns the input of the output matrix for the same tokens, [n, n_embd]. Borrowed
  // until the next run() or guess().
  std::span<const float> logits(std::size_t i = 0) const noexcept;
  // Returns the memory of all buffers to the system until the next run. Results borrowed before are
  // lost.
  void give_back() noexcept;
  std::span<const float> hidden(std::size_t i = 0) const noexcept;
  // Runs tokens of one sequence and returns its rows of logits.
  std::span<const float> run(KvCache& cache, std::span<const Token> tokens, LogitsOf logits);
  // Uses the model's own draft head (Hparams::has_nextn_head()). Returns the logits, [n_vocab], of
  // the token that follows `token`, which stands n_ahead tokens after the end of the cache. If
  // n_ahead > 0, the previous guess() must have been for the token before it. Needs room in the
  // cache, which otherwise stays unchanged. Throws as KvCache::make_room() does.
  std::span<const float> guess(KvCache& cache, Token token, int n_ahead);
  // Whether run() may stop half-way. False if the model has recurrent layers, whose state would
  // already have changed.
  bool can_stop() const noexcept;

  // Size of all buffers, for the memory plan.
  static std::size_t scratch_bytes(ModelView model, int n_threads, Options options);

 private:
  std::unique_ptr<ForwardState> state_;
};

}  // namespace confab::engine
