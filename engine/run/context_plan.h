// SPDX-License-Identifier: MIT
// Plans what a model will use, before it runs: the size of its context, the types of its cache, and
// the memory for all of it. Used by the chat model, `confab bench` and `confab debug info`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "engine/fit/memory_plan.h"
#include "engine/run/draft_length.h"
#include "engine/run/load_options.h"
#include "kernels/dtype.h"

namespace confab::engine {

struct Model;

namespace platform {
struct MemoryFacts;
}

struct ContextPlan {
  int n_ctx = 0;
  int n_threads = 0;
  int n_batch = 0;
  int n_parallel = 1;  // whole contexts
  int n_pages = 0;     // of the KV cache, for all sequences
  int n_whole = 0;     // how many of them have memory for windowed layers as well
  int n_logits = 1;    // rows of logits in a pass, for drafts or several answers
  bool drafts = false;
  // How many tokens of a draft's pass a sequence with recurrent layers can take back.
  int max_in_flight() const noexcept { return drafts ? std::min(n_logits, kMaxDraftRows) : 0; }
  static constexpr int kMaxDraftRows = DraftLength::kMost + 1;
  kernels::Dtype type_k = kernels::Dtype::Q8_0;
  kernels::Dtype type_v = kernels::Dtype::Q8_0;
  MemoryPlan memory;
  double disk_rate = 0;  // bytes per second, if experts must come from disk; 0: not measured
  // One line for a user who did not choose this: why the context is shorter than it could be, that
  // experts come from disk, or that the model does not fit. May be empty.
  std::string notice = {};
};

// Chooses what `options` leaves open. Cache types: q8_0, or f16 if a head size is not a multiple of
// 32. Threads: all usable cores. Context: the longest that fits in memory beside `draft` (nullptr:
// none), up to the model's own limit and to options.recommended.n_ctx or else 8192, and no shorter
// than kLeastContext. A mixture may be larger than memory if everything except its experts fits.
// Throws ModelError if the requested context exceeds the model's own limit, or if the model cannot
// fit and options.force is not set.
ContextPlan plan_context(const Model& model, const LoadOptions& options,
                         const Model* draft = nullptr);
// The same for a given amount of memory; UINT64_MAX bytes always suffice.
ContextPlan plan_context(const Model& model, const LoadOptions& options, const MemoryRoom& room,
                         const Model* draft = nullptr);
// Advice on what would fit instead of a plan that does not (engine/fit/advice.h).
std::string plan_advice(const Model& model, const LoadOptions& options, const ContextPlan& plan,
                        const Model* draft = nullptr);
// The plan of a draft model, for a model with that plan.
ContextPlan plan_draft(const Model& draft, const ContextPlan& plan);

// Memory that this machine can give, less a small reserve, so that other programs need not swap
// when they grow.
MemoryRoom memory_room(const platform::MemoryFacts& facts);

}  // namespace confab::engine
