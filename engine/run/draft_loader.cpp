// SPDX-License-Identifier: MIT
#include "engine/run/draft_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/size_text.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {
namespace {

void check_pair(const Model& model, const Model& draft) {
  if (const auto difference = vocabulary_difference(*model.tokenizer, *draft.tokenizer))
    draft.gguf.fail(fmt::format("cannot draft for {}: {}", model.gguf.path(), *difference));
}

// Only experts give way to a draft model, and only if the user asked for one.
bool has_room(const ContextPlan& plan, const LoadedDraft& draft, bool wanted) {
  MemoryPlan both = plan.memory;
  both.draft_bytes = draft.plan.memory.total_bytes();
  return both.fits() || (wanted && both.fits_but_for_experts());
}

// Shortens the context, if there is a length that fits both.
void make_room(const Model& model, ContextPlan& plan, LoadOptions options, LoadedDraft& draft) {
  options.force = true;
  ContextPlan both = plan_context(model, options, plan.memory.available_bytes, draft.model.get());
  if (!both.memory.fits()) return;
  both.memory.process_bytes = plan.memory.process_bytes;
  both.memory.process_mapped_bytes = plan.memory.process_mapped_bytes;
  plan = std::move(both);
  draft.plan = plan_draft(*draft.model, plan);
}

// RoPE options apply to both models, as in llama.cpp.
std::unique_ptr<const Model> load_file(const LoadOptions& options) {
  return Model::load(options.draft.path, NextnHead::left_out, options.rope);
}

LoadedDraft load(const Model& model, ContextPlan& plan, const LoadOptions& options,
                 DraftFile begun) {
  LoadedDraft draft{.model = begun.valid() ? begun.get() : load_file(options)};
  check_pair(model, *draft.model);
  const bool wanted = options.draft.wanted;
  draft.plan = plan_draft(*draft.model, plan);
  if (!has_room(plan, draft, wanted) && wanted && options.n_ctx == 0) {
    // A user who asked for a draft model prefers a shorter context to no draft model.
    make_room(model, plan, options, draft);
  }
  const ContextPlan& own = draft.plan;
  const std::uint64_t needed = own.memory.total_bytes();
  plan.memory.draft_bytes = 0;
  if (!has_room(plan, draft, wanted) && !(wanted && options.force)) {
    const std::uint64_t taken = plan.memory.total_bytes();
    const std::uint64_t left =
        plan.memory.available_bytes - std::min(plan.memory.available_bytes, taken);
    draft.model->gguf.fail(fmt::format("cannot draft: it needs {} of memory, but {} leaves only {}",
                                       size_text(needed), model.gguf.path(), size_text(left)));
  }
  plan.memory.draft_bytes = needed;
  plan.memory.draft_mapped_bytes = own.memory.weights_bytes;
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
    return std::async(std::launch::async, [options] { return load_file(options); });
  } catch (const std::system_error&) {  // no thread could be started
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

std::unique_ptr<DraftModel> make_draft(const LoadedDraft& file, const kernels::KernelTable& table,
                                       kernels::ThreadPool& pool, BlockStore* store) {
  if (file.model == nullptr) return nullptr;
  DraftModelOptions options = file.options;
  options.store = store;
  return std::make_unique<DraftModel>(*file.model, table, pool, options);
}

}  // namespace confab::engine
