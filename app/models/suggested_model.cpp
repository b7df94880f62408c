// SPDX-License-Identifier: MIT
#include "app/models/suggested_model.h"

#include "engine/platform/memory.h"

namespace confab::app {

Suggestion suggest_model(std::span<const FoundModel> models, std::uint64_t available_bytes) {
  constexpr std::uint64_t kShare = 4;  // a quarter stays for the KV cache and what else runs
  Suggestion suggestion{.room_bytes = available_bytes - available_bytes / kShare};
  for (const FoundModel& model : models) {
    if (model.path.filename().string().starts_with("confab-")) continue;  // the bundled ones
    if (model.bytes > suggestion.room_bytes)
      ++suggestion.n_too_large;
    else if (!suggestion.model || model.bytes > suggestion.model->bytes)
      suggestion.model = model;
  }
  return suggestion;
}

Suggestion suggest_model() {
  return suggest_model(find_models({}), engine::platform::available_memory());
}

}  // namespace confab::app
