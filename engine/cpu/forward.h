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
#include "engine/cache/decoder.h"
#include "engine/cache/kv_cache.h"
#include "engine/model/model_part.h"
#include "kernels/kernel_table.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

struct ForwardState;

// Tokens of one sequence, at the positions after those that its cache has.
struct SequenceTokens {
  KvCache* cache;
  std::span<const Token> tokens;
  LogitsOf logits;
};

class Forward {
 public:
  // The references, and what model is of, must outlive the object. n_ctx: of the longest sequence.
  // exact keeps activations in f32. n_logits: rows of logits that a run may give, at most n_batch.
  struct Options {
    int n_batch = 512;
    bool exact = false;
    int n_logits = 1;
  };
  Forward(ModelView model, const kernels::KernelTable& table, kernels::ThreadPool& pool, int n_ctx,
          Options options);
  ~Forward();

  // Runs tokens of one or several sequences (each 1 or more, that fit into its cache, ids <
  // n_vocab; all together 1..n_batch) and commits them: in flight, where all their logits are asked
  // for and so many may stay there (KvCache::commit()). A sequence stands there once. Asks
  // go_on(il) before each layer il but the first. False: that said no, and nothing is committed;
  // needs can_stop(). Throws OutOfPages and ModelError as KvCache::make_room() does.
  bool run(std::span<const SequenceTokens> sequences, kernels::FunctionRef<bool(int il)> go_on);
  // Of the last run and the i-th of its sequences: the rows of logits asked for, [n, n_vocab], and
  // what the output read of these tokens, [n, n_embd]. Borrowed until the next run or guess().
  std::span<const float> logits(std::size_t i = 0) const noexcept;
  // Its buffers take no memory until the next run; what was borrowed of it is gone.
  void give_back() noexcept;
  std::span<const float> hidden(std::size_t i = 0) const noexcept;
  // The same of one sequence, whose rows of logits it returns.
  std::span<const float> run(KvCache& cache, std::span<const Token> tokens, LogitsOf logits);
  // By the model's own head (Hparams::has_nextn_head()): the logits of the token after `token`,
  // which stands n_ahead tokens after those of the cache, [n_vocab]. With n_ahead > 0, what the
  // last call had made of the token before. Needs room for it in the cache, which does not change
  // but for that. Throws as KvCache::make_room() does.
  std::span<const float> guess(KvCache& cache, Token token, int n_ahead);
  // Whether a run may end half-way: not where layers have a state that has moved on by then.
  bool can_stop() const noexcept;

  // Bytes of all buffers, for the memory plan.
  static std::size_t scratch_bytes(ModelView model, int n_threads, Options options);

 private:
  std::unique_ptr<ForwardState> state_;
};

}  // namespace confab::engine
