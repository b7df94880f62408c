// SPDX-License-Identifier: MIT
#include "app/models/suggested_model.h"

#include "app/error.h"
#include "engine/platform/memory.h"

namespace confab::app {

std::uint64_t room_for_model(std::uint64_t available_bytes) {
  constexpr std::uint64_t kShare = 4;  // a quarter stays for the KV cache and what else runs
  return available_bytes - available_bytes / kShare;
}

Suggestion suggest_model(std::span<const FoundModel> models, std::uint64_t available_bytes) {
  Suggestion suggestion{.room_bytes = room_for_model(available_bytes)};
  for (const FoundModel& model : models) {
    if (model.path.filename().string().starts_with("confab-")) continue;  // the bundled ones
    ++suggestion.n_found;
    if (model.bytes > suggestion.room_bytes)
      ++suggestion.n_too_large;
    else if (!suggestion.model || model.bytes > suggestion.model->bytes)
      suggestion.model = model;
  }
  return suggestion;
}

Suggestion suggest_model() {
  Suggestion suggestion = suggest_model(find_models({}), engine::platform::available_memory());
  try {
    const ModelList list = load_model_list(Paths::from_environment());
    const auto fitting = models_that_fit(list.models, suggestion.room_bytes);
    if (!fitting.empty()) suggestion.to_pull = fitting.front();
  } catch (const UserError&) {  // confab pull --suggest tells of a list with faults
  }
  return suggestion;
}

}  // namespace confab::app
