// SPDX-License-Identifier: MIT
// What a model's file, or its store, says of how it is to be sampled, without loading the model.
#pragma once

#include <vector>

#include "app/options.h"
#include "engine/api/model_info.h"

namespace confab::app {

// Of the model that the options name. Empty where its file cannot be read: who uses it is told why.
std::vector<engine::Recommendation> recommended_sampling(const ModelOptions& options);

}  // namespace confab::app
