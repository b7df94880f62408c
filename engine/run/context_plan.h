// SPDX-License-Identifier: MIT
// What a model will take before it is run: the size of its context, the types of its cache, and the
// memory for all of it. Used by the chat model, `confab bench` and `confab debug info`.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/run/draft_length.h"
#include "engine/run/local_chat_model.h"
#include "kernels/dtype.h"

namespace confab::engine {

struct Model;

struct MemoryPlan {
  std::uint64_t weights_bytes = 0;  // mapped from the file
  std::uint64_t kv_bytes = 0;       // of all whole contexts
  std::uint64_t scratch_bytes = 0;
  std::uint64_t draft_bytes = 0;      // all of these, of a draft model
  std::uint64_t available_bytes = 0;  // what this machine (or its cgroup) has to give

  std::uint64_t total_bytes() const noexcept {
    return weights_bytes + kv_bytes + scratch_bytes + draft_bytes;
  }
};

struct ContextPlan {
  int n_ctx = 0;
  int n_threads = 0;
  int n_batch = 0;
  int n_parallel = 1;  // whole contexts
  int n_pages = 0;     // of the KV cache, for all sequences
  int n_logits = 1;    // rows of logits of a pass: of what was drafted, and of several answers
  bool drafts = false;
  // Tokens of a draft's pass that a sequence with recurrent layers can forget.
  int max_in_flight() const noexcept { return drafts ? std::min(n_logits, kMaxDraftRows) : 0; }
  static constexpr int kMaxDraftRows = DraftLength::kMost + 1;
  kernels::Dtype type_k = kernels::Dtype::Q8_0;
  kernels::Dtype type_v = kernels::Dtype::Q8_0;
  MemoryPlan memory;
};

// The choices that `options` leaves open: context min(8192, the model's own limit), cache q8_0, or
// f16 where a head's size is no multiple of 32, all usable cores. Throws ModelError when the
// context asked for is beyond the model's own limit, or when all of it cannot fit into memory.
ContextPlan plan_context(const Model& model, const LoadOptions& options);
// The same with the available memory given; with UINT64_MAX everything fits.
ContextPlan plan_context(const Model& model, const LoadOptions& options,
                         std::uint64_t available_bytes);

}  // namespace confab::engine
