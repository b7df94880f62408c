// SPDX-License-Identifier: MIT
// The few sentences that both front ends say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/chat/answer_loop.h"
#include "app/models/suggested_model.h"

namespace confab::app {

// What is shown before anything has been said: a title, then a few lines of at most 80 columns,
// the most useful first. nullopt: what there is on this machine is not known, or not asked for.
std::vector<std::string> welcome(const engine::ModelInfo& model, bool is_demo,
                                 const std::optional<Suggestion>& suggestion);
std::string context_full_text(int n_ctx);
// What can be done about an answer that ended so; empty: it is whole.
std::string end_note(AnswerEnd end, const Chat& chat);
// What can be done about a question that the context does not hold.
std::string too_long_text(const std::string& fault);

}  // namespace confab::app
