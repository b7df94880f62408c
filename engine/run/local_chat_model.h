// SPDX-License-Identifier: MIT
// Our own engine: a generation thread with a mapped model, its KV cache and its sampler.
#pragma once

#include <memory>

#include "engine/api/chat_model.h"
#include "engine/run/load_options.h"

namespace confab::engine {

// A team of n_threads (0: all usable cores), for models that are loaded side by side.
std::shared_ptr<kernels::ThreadPool> make_team(int n_threads);

// Loads a model and starts its generation thread. Throws ModelError; a model that cannot fit in
// memory is refused before it is loaded (engine/run/context_plan.h).
std::unique_ptr<ChatModel> load_chat_model(const LoadOptions& options);

}  // namespace confab::engine
