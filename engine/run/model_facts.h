// SPDX-License-Identifier: MIT
// What a model file says of itself, and what people are told of a model.
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

// What a model calls itself, else its file's name; as ModelInfo has it. Untrusted text.
std::string model_name(const Gguf& gguf);

// What it says under general.sampling.* of how it is to be sampled: numbers and texts; what else is
// there is left out.
std::vector<Recommendation> recommended_sampling(const Gguf& gguf);

// With what others recommend, which goes before what the file says.
ModelInfo with_recommended(ModelInfo info, const Recommended& more);

// Of a model that runs by this plan, with this chat template.
ModelInfo make_info(const Model& model, const ContextPlan& plan, kernels::Isa isa,
                    const TemplateSource& source, const LoadedDraft& draft);

}  // namespace confab::engine
