// SPDX-License-Identifier: MIT
// Facts that a model file states about itself, and the facts about a model that people are shown.
#pragma once

#include <string>
#include <vector>

#include "engine/api/model_info.h"
#include "kernels/isa.h"

namespace confab::engine {

struct ContextPlan;
class Gguf;
struct LoadedDraft;
struct Model;
struct TemplateSource;

// The model's own name, or else its file's name; ModelInfo::name. Untrusted text.
std::string model_name(const Gguf& gguf);

// The numbers and texts that the file has under general.sampling.*. Other kinds of values are left
// out.
std::vector<Recommendation> recommended_sampling(const Gguf& gguf);

// Adds what others recommend, which takes precedence over the file's own values.
ModelInfo with_recommended(ModelInfo info, const Recommended& more);

// The facts of a model that runs by this plan with this chat template.
ModelInfo make_info(const Model& model, const ContextPlan& plan, kernels::Isa isa,
                    const TemplateSource& source, const LoadedDraft& draft);

}  // namespace confab::engine
