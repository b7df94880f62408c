// SPDX-License-Identifier: MIT
#include "engine/run/draft_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/text/vocabulary_difference.h"

namespace confab::engine {
namespace {

// Longer ones read a prompt hardly faster, and take more memory.
constexpr int kMaxBatch = 128;

void check_pair(const Model& model, const Model& draft) {
  if (const auto difference = vocabulary_difference(*model.tokenizer, *draft.tokenizer))
    draft.gguf.fail(fmt::format("cannot draft for {}: {}", model.gguf.path(), *difference));
}

LoadedDraft load(const Model& model, ContextPlan& plan, const LoadOptions& options,
                 DraftFile begun) {
  LoadedDraft draft{.model = begun.valid() ? begun.get() : Model::load(options.draft.path)};
  check_pair(model, *draft.model);
  draft.plan = plan_context(*draft.model,
                            {.n_ctx = std::min(plan.n_ctx, draft.model->hparams.n_ctx_train),
                             .n_threads = plan.n_threads,
                             .n_batch = std::min(plan.n_batch, kMaxBatch),
                             .lookup = false},
                            std::numeric_limits<std::uint64_t>::max());
  const ContextPlan& own = draft.plan;
  const std::uint64_t needed = own.memory.total_bytes();
  const std::uint64_t available = plan.memory.available_bytes - plan.memory.total_bytes();
  if (needed > available) {
    constexpr double kMiB = 1 << 20;
    draft.model->gguf.fail(
        fmt::format("cannot draft: it needs {:.1f} MiB of memory, but {} leaves only {:.1f} MiB",
                    static_cast<double>(needed) / kMiB, model.gguf.path(),
                    static_cast<double>(available) / kMiB));
  }
  plan.memory.draft_bytes = needed;
  draft.options = {.n_ctx = own.n_ctx,
                   .n_batch = own.n_batch,
                   .type_k = own.type_k,
                   .type_v = own.type_v,
                   .rule = draft_rule(model, options.draft)};
  return draft;
}

}  // namespace

DraftRule draft_rule(const Model& model, const DraftOptions& options) noexcept {
  return {.n_vocab = model.hparams.n_vocab, .p_min = options.p_min, .least = options.least};
}

DraftFile begin_draft(const LoadOptions& options) {
  if (options.draft.path.empty()) return {};
  try {
    return std::async(std::launch::async,
                      [path = options.draft.path] { return Model::load(path); });
  } catch (const std::system_error&) {  // there is no thread for it
    return {};
  }
}

LoadedDraft load_draft(const Model& model, ContextPlan& plan, const LoadOptions& options,
                       DraftFile begun) {
  if (options.draft.path.empty()) return {};
  try {
    return load(model, plan, options, std::move(begun));
  } catch (const ModelError& error) {
    if (options.draft.wanted) throw;
    return {.notice = fmt::format("no draft model: {}", error.what())};
  }
}

}  // namespace confab::engine
