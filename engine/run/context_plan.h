// SPDX-License-Identifier: MIT
// What a model will take before it is run: the size of its context, the types of its cache, and the
// memory for all of it. Used by the chat model, `confab bench` and `confab debug info`.
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
  int n_whole = 0;     // of these, memory for layers with a window as well
  int n_logits = 1;    // rows of logits of a pass: of what was drafted, and of several answers
  bool drafts = false;
  // Tokens of a draft's pass that a sequence with recurrent layers can forget.
  int max_in_flight() const noexcept { return drafts ? std::min(n_logits, kMaxDraftRows) : 0; }
  static constexpr int kMaxDraftRows = DraftLength::kMost + 1;
  kernels::Dtype type_k = kernels::Dtype::Q8_0;
  kernels::Dtype type_v = kernels::Dtype::Q8_0;
  MemoryPlan memory;
  double disk_rate =
      0;  // bytes a second, where experts have to come from the disk; 0: not measured
  // What somebody who did not choose it should know, in a line: why the context is shorter than it
  // could be, that experts come from the disk, that it does not fit. Empty: nothing.
  std::string notice = {};
};

// The choices that `options` leaves open: cache q8_0, or f16 where a head's size is no multiple of
// 32, all usable cores, and the longest context up to min(8192, or what options.recommended has,
// and the model's own limit) that fits into memory, with `draft` (nullptr: none) beside it; none
// below kLeastContext. A mixture may be larger than memory where all fits but its experts. Throws
// ModelError when the context asked for is beyond the model's own limit, or when all of it cannot
// fit and options.force does not insist.
ContextPlan plan_context(const Model& model, const LoadOptions& options,
                         const Model* draft = nullptr);
// The same with the available memory given, which with UINT64_MAX is enough for all.
ContextPlan plan_context(const Model& model, const LoadOptions& options, const MemoryRoom& room,
                         const Model* draft = nullptr);
// What would fit in place of a plan that does not (engine/fit/advice.h).
std::string plan_advice(const Model& model, const LoadOptions& options, const ContextPlan& plan,
                        const Model* draft = nullptr);
// Of a draft model for a model with that plan.
ContextPlan plan_draft(const Model& draft, const ContextPlan& plan);

// What this machine has to give, less a little that stays free, so that others do not have to swap
// when they grow.
MemoryRoom memory_room(const platform::MemoryFacts& facts);

}  // namespace confab::engine
