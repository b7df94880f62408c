// SPDX-License-Identifier: MIT
// The few sentences that both front ends start with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/models/suggested_model.h"
#include "engine/api/model_info.h"
#include "sessions/conversations/store.h"

namespace confab::app {

// Whether the conversation is kept, as the person asked.
enum class Keeping { kept, incognito };

// The lines to show before anything has been said: a title, then a few lines of at most 80 columns,
// the most useful first. `suggestion` is nullopt if the machine's models have not been looked at.
std::vector<std::string> welcome(const engine::ModelInfo& model, bool is_demo,
                                 const std::optional<Suggestion>& suggestion,
                                 Keeping keeping = Keeping::kept);
// How to return to the conversation saved last; "" if that is unknown.
std::string way_back(sessions::Store& store);

// Replaces "·" and "─" with "-". Screen readers read the dot aloud, and some terminals cannot show
// it.
std::string in_ascii(std::string line);

// The first lines of the line chat. For the demo model, it looks for other models, which may take a
// moment.
std::vector<std::string> greeting(const engine::ModelInfo& model, bool is_demo, Keeping keeping);

}  // namespace confab::app
