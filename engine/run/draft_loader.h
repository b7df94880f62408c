// SPDX-License-Identifier: MIT
// Loads the draft model of a model, where it can guess for it and there is memory for both.
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
  std::unique_ptr<const Model> model = {};  // nullptr: none
  ContextPlan plan = {};                    // its own
  DraftModelOptions options = {};
  std::string notice = {};  // why there is none, in a line; empty: none was named
};

// What drafts for this model are made of, by a draft model or by a head of its own.
DraftRule draft_rule(const Model& model, const DraftOptions& options) noexcept;

using DraftFile = std::future<std::unique_ptr<const Model>>;
// Begins to open the file that the options name, while the model itself is opened.
DraftFile begin_draft(const LoadOptions& options);

// The draft model that the options name, for a model with that plan, whose memory it joins; `begun`
// is what begin_draft() gave for it, or nothing. Throws ModelError, with the reason, where somebody
// wanted it and it cannot be used.
LoadedDraft load_draft(const Model& model, ContextPlan& plan, const LoadOptions& options,
                       DraftFile begun = {});

// nullptr: there is none. store: PrefixCache's, or nullptr. The references must outlive it. Throws
// as DraftModel does.
std::unique_ptr<DraftModel> make_draft(const LoadedDraft& file, const kernels::KernelTable& table,
                                       kernels::ThreadPool& pool, BlockStore* store);

}  // namespace confab::engine
