// SPDX-License-Identifier: MIT
#include "engine/run/context_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "engine/cache/cache_type.h"
#include "engine/cpu/cpu_decoder.h"
#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/platform/memory.h"
#include "kernels/thread_pool.h"

namespace confab::engine {
namespace {

constexpr int kDefaultMaxContext = 8192;

int choose_n_ctx(const Model& model, int asked) {
  const int own_limit = model.hparams.n_ctx_train;
  if (asked < 0 || asked > own_limit) {
    model.gguf.fail(fmt::format(
        "a context of {} tokens was requested, but the model allows 1 to {}", asked, own_limit));
  }
  return asked > 0 ? asked : std::min(own_limit, kDefaultMaxContext);
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

std::string size_text(std::uint64_t bytes) {
  constexpr double kMiB = 1 << 20, kGiB = 1 << 30;
  const auto n = static_cast<double>(bytes);
  return n < kGiB ? fmt::format("{:.1f} MiB", n / kMiB) : fmt::format("{:.1f} GiB", n / kGiB);
}

// What could be done about a plan that does not fit.
std::string suggestion(const ContextPlan& plan, std::uint64_t block_bytes) {
  const MemoryPlan& memory = plan.memory;
  const std::uint64_t without_kv = memory.weights_bytes + memory.scratch_bytes;
  const auto n_parallel = static_cast<std::uint64_t>(plan.n_parallel);
  if (without_kv + (n_parallel + CpuDecoder::kSparePages) * block_bytes > memory.available_bytes) {
    return plan.n_parallel > 1 ? "ask for fewer answers at a time"
                               : "use a smaller model, or the same one with fewer bits per weight";
  }
  const std::uint64_t n_blocks =
      (memory.available_bytes - without_kv) / block_bytes - CpuDecoder::kSparePages;
  return fmt::format("a context of {} tokens would fit", n_blocks / n_parallel * kBlockTokens);
}

// So many whole contexts, and the memory for them.
void plan_contexts(const Model& model, const LoadOptions& options, int n_parallel,
                   ContextPlan& plan) {
  const Hparams& hp = model.hparams;
  plan.n_parallel = n_parallel;
  plan.n_logits = std::min(plan.n_batch, std::max(ContextPlan::kMaxDraftRows, n_parallel));
  plan.n_pages = CpuDecoder::n_pages(plan.n_ctx, n_parallel);
  MemoryPlan& memory = plan.memory;
  const std::uint64_t block_bytes = KvLayout(hp, plan.type_k, plan.type_v).block_bytes();
  memory.kv_bytes =
      static_cast<std::uint64_t>(plan.n_pages) * block_bytes +
      static_cast<std::uint64_t>(n_parallel) * RecurrentState::bytes(hp, plan.max_in_flight());
  memory.scratch_bytes = Forward::scratch_bytes(
      model, plan.n_threads,
      {.n_batch = plan.n_batch, .exact = options.exact, .n_logits = plan.n_logits});
}

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

}  // namespace

ContextPlan plan_context(const Model& model, const LoadOptions& options,
                         std::uint64_t available_bytes) {
  const Hparams& hp = model.hparams;
  check(model, options);
  ContextPlan plan;
  plan.n_ctx = choose_n_ctx(model, options.n_ctx);
  plan.n_threads = options.n_threads > 0 ? options.n_threads : kernels::usable_cores();
  plan.n_batch = std::min(options.n_batch, plan.n_ctx);
  plan.drafts = options.lookup || !options.draft.path.empty() || hp.has_nextn_head();
  plan.type_k = choose_kv_type(model, options.type_k, &LayerHparams::head_dim_k);
  plan.type_v = choose_kv_type(model, options.type_v, &LayerHparams::head_dim_v);
  MemoryPlan& memory = plan.memory;
  memory.weights_bytes = model.gguf.file_bytes();
  memory.available_bytes = available_bytes;
  plan_contexts(model, options, options.n_parallel, plan);
  for (int n = options.n_parallel - 1; options.fewer && n > 0; --n)
    if (memory.total_bytes() > available_bytes) plan_contexts(model, options, n, plan);
  if (memory.total_bytes() > available_bytes) {
    const std::uint64_t block_bytes = KvLayout(hp, plan.type_k, plan.type_v).block_bytes();
    model.gguf.fail(fmt::format(
        "needs {} of memory (weights {}, {} {}, scratch {}), but "
        "only {} is available; {}",
        size_text(memory.total_bytes()), size_text(memory.weights_bytes), contexts_text(plan),
        size_text(memory.kv_bytes), size_text(memory.scratch_bytes), size_text(available_bytes),
        suggestion(plan, block_bytes)));
  }
  return plan;
}

ContextPlan plan_context(const Model& model, const LoadOptions& options) {
  return plan_context(model, options, platform::available_memory());
}

}  // namespace confab::engine
