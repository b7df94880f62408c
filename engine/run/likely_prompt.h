// SPDX-License-Identifier: MIT
// What the next prompt will begin with, whatever will be asked.
#pragma once

#include <stop_token>
#include <vector>

#include "engine/api/requests.h"
#include "engine/api/token.h"

namespace confab::engine {

class PromptBuilder;

// What the prompts of all questions that begin with the request's draft begin with. Throws
// ModelError, and Stopped, as PromptBuilder does.
std::vector<Token> likely_prompt(const PromptBuilder& prompts, const PrepareRequest& request,
                                 const std::stop_token& stop);

}  // namespace confab::engine
