// SPDX-License-Identifier: MIT
#include "engine/run/context_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string>
#include <string_view>

#include "engine/cache/cache_type.h"
#include "engine/cpu/cpu_decoder.h"
#include "engine/error.h"
#include "engine/fit/advice.h"
#include "engine/fit/memory_plan.h"
#include "engine/model/model.h"
#include "engine/platform/memory.h"
#include "engine/platform/read_rate.h"
#include "engine/size_text.h"
#include "kernels/thread_pool.h"

namespace confab::engine {
namespace {

constexpr int kDefaultMaxContext = 8192;

// A context size that the user did not choose is reduced in steps of this.
constexpr int kContextStep = 512;

// The text and tokens of a long conversation, and the stacks of the threads. Measured by
// bench/memory_fit.
constexpr std::uint64_t kConversationBytes = 320 << 10;

// Longer passes of a draft model hardly read a prompt any faster, and take more memory.
constexpr int kMaxDraftBatch = 128;

int choose_n_ctx(const Model& model, const LoadOptions& options) {
  const int asked = options.n_ctx, recommended = options.recommended.n_ctx;
  const int own_limit = model.hparams.n_ctx_max;
  if (asked < 0 || asked > own_limit) {
    model.gguf.fail(fmt::format(
        "a context of {} tokens was requested, but the model allows 1 to {}", asked, own_limit));
  }
  return asked > 0 ? asked
                   : std::min(own_limit, recommended > 0 ? recommended : kDefaultMaxContext);
}

kernels::Dtype choose_kv_type(const Model& model, std::optional<kernels::Dtype> asked,
                              int LayerHparams::*dim) {
  using kernels::Dtype;
  const Dtype wanted = asked.value_or(Dtype::Q8_0);
  const kernels::DtypeInfo& type = kernels::info(wanted);
  if (std::ranges::find(cache_types(), wanted) == cache_types().end())
    model.gguf.fail(fmt::format("KV cache type {}: expected {}", type.name, cache_type_names()));
  const auto odd = std::ranges::find_if(model.hparams.layers, [&](const LayerHparams& layer) {
    return layer.*dim % type.block != 0;
  });
  if (odd == model.hparams.layers.end()) return wanted;
  if (!asked) return Dtype::F16;
  model.gguf.fail(fmt::format(
      "KV cache type {} needs a head size that is a multiple of {}, found {}; f16 works", type.name,
      type.block, (*odd).*dim));
}

bool may_quantise(const Model& model, int LayerHparams::*dim) {
  return std::ranges::all_of(model.hparams.layers, [&](const LayerHparams& layer) {
    return layer.*dim % kernels::info(kernels::Dtype::Q4_0).block == 0;
  });
}

// Plans one choice after the other until one fits.
class Planner {
 public:
  Planner(const Model& model, const LoadOptions& options, const Model* draft)
      : model_(model), options_(options), draft_(draft) {}

  ContextPlan begin(std::uint64_t available_bytes) const {
    ContextPlan plan;
    plan.n_threads = options_.team            ? options_.team->n_threads()
                     : options_.n_threads > 0 ? options_.n_threads
                                              : kernels::usable_cores();
    plan.drafts =
        options_.lookup || !options_.draft.path.empty() || model_.hparams.has_nextn_head();
    plan.type_k = choose_kv_type(model_, options_.type_k, &LayerHparams::head_dim_k);
    plan.type_v = choose_kv_type(model_, options_.type_v, &LayerHparams::head_dim_v);
    plan.memory.available_bytes = available_bytes;
    set(plan, choose_n_ctx(model_, options_), options_.n_parallel);
    return plan;
  }

  // Sets the number and size of the contexts, and the memory for them.
  void set(ContextPlan& plan, int n_ctx, int n_parallel) const {
    const Hparams& hp = model_.hparams;
    plan.n_ctx = n_ctx;
    plan.n_parallel = n_parallel;
    plan.n_batch = std::min(options_.n_batch, n_ctx);
    plan.n_logits = std::min(plan.n_batch, std::max(ContextPlan::kMaxDraftRows, n_parallel));
    plan.n_pages = CpuDecoder::n_pages(n_ctx, n_parallel);
    const KvLayout layout(hp, plan.type_k, plan.type_v);
    plan.n_whole = CpuDecoder::n_whole(layout, n_ctx, plan.n_batch, n_parallel);
    const WeightsUse weights = weights_use(model_);
    MemoryPlan& memory = plan.memory;
    memory.weights_bytes = weights.mapped_bytes();
    memory.expert_bytes = weights.expert_bytes;
    memory.expert_token_bytes = weights.expert_token_bytes;
    const int n_in_passing =
        plan.n_whole - CpuDecoder::n_whole(layout, n_ctx, 1, n_parallel);  // in long passes
    memory.spare_bytes = CpuDecoder::kSparePages * layout.block_bytes() +
                         static_cast<std::uint64_t>(n_in_passing) * layout.windowed_bytes();
    memory.kv_bytes =
        PagePool::bytes(layout, plan.n_pages, plan.n_whole) +
        static_cast<std::uint64_t>(n_parallel) * RecurrentState::bytes(hp, plan.max_in_flight());
    const auto scratch = [&](int n_logits) {
      return Forward::scratch_bytes(
          model_, plan.n_threads,
          {.n_batch = plan.n_batch, .exact = options_.exact, .n_logits = n_logits});
    };
    memory.scratch_bytes = scratch(plan.n_logits);
    memory.draft_rows_bytes =
        memory.scratch_bytes - scratch(std::min(plan.n_logits, n_parallel)) +
        static_cast<std::uint64_t>(n_parallel) *
            (RecurrentState::bytes(hp, plan.max_in_flight()) - RecurrentState::bytes(hp, 0));
    if (draft_ == nullptr) return;
    const MemoryPlan draft = plan_draft(*draft_, plan).memory;
    memory.draft_bytes = draft.total_bytes();
    memory.draft_mapped_bytes = draft.weights_bytes;
  }

  // Reduces the number of answers, then the context, as far as the user has not chosen them.
  // Returns false if nothing fits.
  bool make_fit(ContextPlan& plan) const {
    for (int n = plan.n_parallel - 1; options_.fewer && n > 0 && !plan.memory.fits(); --n)
      set(plan, plan.n_ctx, n);
    if (options_.n_ctx > 0 || plan.memory.fits()) return plan.memory.fits();
    const ContextPlan longest = plan;
    while (!plan.memory.fits() && plan.n_ctx > kLeastContext) {
      const int shorter = (plan.n_ctx - 1) / kContextStep * kContextStep;
      set(plan, std::max(kLeastContext, shorter), plan.n_parallel);
    }
    if (plan.memory.fits()) return true;
    plan = longest;
    return false;
  }

  std::string advice_for(const ContextPlan& plan) const {
    ContextPlan other = plan;
    const auto bytes = [&](const FitChoice& choice) {
      other.type_k = choice.type_k;
      other.type_v = choice.type_v;
      set(other, choice.n_ctx, choice.n_parallel);
      return other.memory.total_bytes();
    };
    return advice(model_.gguf,
                  {.asked = {plan.n_ctx, plan.type_k, plan.type_v, plan.n_parallel},
                   .may_shorten_keys = may_quantise(model_, &LayerHparams::head_dim_k),
                   .may_shorten_values = may_quantise(model_, &LayerHparams::head_dim_v),
                   .available_bytes = plan.memory.available_bytes,
                   .bytes = bytes});
  }

 private:
  const Model& model_;
  const LoadOptions& options_;
  const Model* draft_;
};

std::string contexts_text(const ContextPlan& plan) {
  return plan.n_parallel == 1
             ? fmt::format("KV cache of {} tokens", plan.n_ctx)
             : fmt::format("{} KV caches of {} tokens", plan.n_parallel, plan.n_ctx);
}

void check(const Model& model, const LoadOptions& options) {
  if (options.n_batch < 1) {
    model.gguf.fail(
        fmt::format("a batch of {} tokens was requested, expected 1 or more", options.n_batch));
  }
  if (options.n_threads < 0) {
    model.gguf.fail(fmt::format("{} threads were requested, expected 1 or more, or 0 for all cores",
                                options.n_threads));
  }
  if (options.n_parallel < 1) {
    model.gguf.fail(
        fmt::format("{} answers at a time were requested, expected 1 or more", options.n_parallel));
  }
}

std::string misfit_text(const ContextPlan& plan, const MemoryRoom& room) {
  const MemoryPlan& memory = plan.memory;
  const std::string draft =
      memory.draft_bytes > 0 ? fmt::format(", draft model {}", size_text(memory.draft_bytes)) : "";
  return fmt::format("needs {} of memory (weights {}, {} {}, scratch {}{}), but only {} is {}",
                     size_text(memory.total_bytes()), size_text(memory.weights_bytes),
                     contexts_text(plan), size_text(memory.kv_bytes),
                     size_text(memory.scratch_bytes), draft, size_text(memory.available_bytes),
                     room.limit.empty() ? "available" : "left by " + room.limit);
}

std::string shorter_text(const ContextPlan& plan, int n_longest) {
  return fmt::format(
      "the context is {} tokens instead of {}, because {} of memory is available; -c sets it",
      plan.n_ctx, n_longest, size_text(plan.memory.available_bytes));
}

std::string experts_text(const MemoryPlan& memory) {
  return fmt::format(
      "larger than memory: {} of experts share {}, so about {} are read from the disk for a token",
      size_text(memory.expert_bytes), size_text(memory.available_bytes - memory.resident_bytes()),
      size_text(static_cast<std::uint64_t>(memory.missing_token_bytes())));
}

std::string tokens_text(double n) {
  return n < 10 ? fmt::format("{:.1f} tokens", n) : fmt::format("{:.0f} tokens", n);
}

// The files are already mapped, but there will be more threads, each with a stack.
std::uint64_t left_for(const platform::AddressLimit& limit, const ContextPlan& plan,
                       const Model& model, const Model* draft) {
  constexpr std::uint64_t kStackBytes = 8 << 20, kOtherThreads = 4;
  const auto n_threads = static_cast<std::uint64_t>(plan.n_threads) + kOtherThreads;
  const std::uint64_t mapped =
      model.gguf.file_bytes() + (draft != nullptr ? draft->gguf.file_bytes() : 0);
  const std::uint64_t left = limit.left_bytes + mapped;
  return left - std::min(left, n_threads * kStackBytes);
}

}  // namespace

ContextPlan plan_draft(const Model& draft, const ContextPlan& plan) {
  return plan_context(draft,
                      {.n_ctx = std::min(plan.n_ctx, draft.hparams.n_ctx_max),
                       .n_threads = plan.n_threads,
                       .n_batch = std::min(plan.n_batch, kMaxDraftBatch),
                       .lookup = false},
                      platform::kUnknownBytes);
}

std::string plan_advice(const Model& model, const LoadOptions& options, const ContextPlan& plan,
                        const Model* draft) {
  return Planner(model, options, draft).advice_for(plan);
}

ContextPlan plan_context(const Model& model, const LoadOptions& options, const MemoryRoom& now,
                         const Model* draft) {
  check(model, options);
  MemoryRoom room = now;
  room.bytes += std::min(options.returned_bytes, platform::kUnknownBytes - room.bytes);
  const Planner planner(model, options, draft);
  ContextPlan plan = planner.begin(room.bytes);
  const int n_longest = plan.n_ctx;
  if (planner.make_fit(plan)) {
    if (plan.n_ctx < n_longest) plan.notice = shorter_text(plan, n_longest);
  } else if (plan.memory.fits_but_for_experts()) {
    plan.notice = experts_text(plan.memory);
  } else {
    const std::string why = misfit_text(plan, room);
    if (!options.force) {
      model.gguf.fail(fmt::format("{}; {}; --force insists", why, planner.advice_for(plan)));
    }
    plan.notice = why;
  }
  return plan;
}

ContextPlan plan_context(const Model& model, const LoadOptions& options, const Model* draft) {
  const platform::MemoryUse use = platform::memory_use();
  const ContextPlan whole = plan_context(model, options, platform::kUnknownBytes, draft);
  platform::MemoryFacts facts = platform::memory_facts();
  if (facts.address_space)
    facts.address_space->left_bytes = left_for(*facts.address_space, whole, model, draft);
  MemoryRoom room = memory_room(facts);
  if (whole.memory.total_bytes() > room.bytes && !facts.address_space_decides()) {
    // If another confab has read this same file, its pages serve both.
    for (const std::string& path : model.gguf.part_paths())
      room.bytes += platform::bytes_shared_with_others(path);
  }
  ContextPlan plan = plan_context(model, options, room, draft);
  plan.memory.process_bytes = use.anonymous_bytes + kConversationBytes;
  plan.memory.process_mapped_bytes = use.mapped_bytes;
  if (const double missing = plan.memory.missing_token_bytes(); missing > 0) {
    constexpr std::chrono::milliseconds kLimit{500};
    plan.disk_rate = platform::measure_read_rate(model.gguf.path(), kLimit);
    if (plan.disk_rate > 0)
      plan.notice += fmt::format("; at {:.1f} GB/s, {} a second at most", plan.disk_rate / 1e9,
                                 tokens_text(plan.disk_rate / missing));
  }
  return plan;
}

MemoryRoom memory_room(const platform::MemoryFacts& facts) {
  constexpr std::uint64_t kMostKept = std::uint64_t{256} << 20, kShareKept = 32;
  const std::uint64_t bytes = facts.available_bytes();
  if (bytes == platform::kUnknownBytes) return bytes;
  const std::uint64_t kept = std::min(kMostKept, bytes / kShareKept);
  if (facts.address_space_decides())
    return {bytes - kept, "the limit on this program's address space (ulimit -v)"};
  if (facts.group_decides())
    return {bytes - kept, "the limit of control group " + facts.group->group};
  return bytes - kept;
}

}  // namespace confab::engine
