// SPDX-License-Identifier: MIT
// Loads a model's draft model, if it can guess for it and both fit in memory.
#pragma once

#include <future>
#include <memory>
#include <string>

#include "engine/run/context_plan.h"
#include "engine/run/draft_model.h"

namespace confab::engine {

struct DraftOptions;
struct LoadOptions;

struct LoadedDraft {
  std::unique_ptr<const Model> model = {};  // nullptr if there is none
  ContextPlan plan = {};                    // of the draft model
  DraftModelOptions options = {};
  std::string notice = {};  // one line on why there is none; empty if none was named
};

// The rules for drafts for this model, made by a draft model or by its own head.
DraftRule draft_rule(const Model& model, const DraftOptions& options) noexcept;

using DraftFile = std::future<std::unique_ptr<const Model>>;
// Starts to open the draft file that the options name, while the model itself is opened.
DraftFile begin_draft(const LoadOptions& options);

// Loads the draft model that the options name. Its memory is added to the model's plan. `begun`
// comes from begin_draft() and may be empty. If the user asked for a draft model and it cannot be
// used, throws ModelError with the reason.
LoadedDraft load_draft(const Model& model, ContextPlan& plan, const LoadOptions& options,
                       DraftFile begun = {});

// Returns nullptr if there is no draft model. `store` may be nullptr and is passed to PrefixCache.
// The references must outlive the result. Throws what DraftModel's constructor throws.
std::unique_ptr<DraftModel> make_draft(const LoadedDraft& file, const kernels::KernelTable& table,
                                       kernels::ThreadPool& pool, BlockStore* store);

}  // namespace confab::engine
