// SPDX-License-Identifier: MIT
// The few sentences that both front ends begin with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/models/suggested_model.h"
#include "engine/api/model_info.h"
#include "sessions/conversations/store.h"

namespace confab::app {

// Whether what is said is kept, as the person has asked for it.
enum class Keeping { kept, incognito };

// What is shown before anything has been said: a title, then a few lines of at most 80 columns,
// the most useful first. nullopt: what there is on this machine is not known, or not asked for.
std::vector<std::string> welcome(const engine::ModelInfo& model, bool is_demo,
                                 const std::optional<Suggestion>& suggestion,
                                 Keeping keeping = Keeping::kept);
// How to come back to what was said and saved last; empty: nothing can be told.
std::string way_back(sessions::Store& store);

// A screen reader says "middle dot", and not every terminal without a cursor has the sign.
std::string in_ascii(std::string line);

// Looks for models where the bundled one answers, which may take a moment.
std::vector<std::string> greeting(const engine::ModelInfo& model, bool is_demo, Keeping keeping);

}  // namespace confab::app
