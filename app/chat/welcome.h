// SPDX-License-Identifier: MIT
// The few sentences that both front ends begin with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/models/suggested_model.h"
#include "engine/api/model_info.h"

namespace confab::app {

// What is shown before anything has been said: a title, then a few lines of at most 80 columns,
// the most useful first. nullopt: what there is on this machine is not known, or not asked for.
std::vector<std::string> welcome(const engine::ModelInfo& model, bool is_demo,
                                 const std::optional<Suggestion>& suggestion);

}  // namespace confab::app
