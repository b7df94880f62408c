// SPDX-License-Identifier: MIT
#include "app/models/suggested_model.h"

#include <fmt/format.h>

#include "app/error.h"
#include "app/figures.h"
#include "engine/platform/memory.h"
#include "ui/text.h"

namespace confab::app {
namespace {

constexpr int kNameCols = 28;

std::string short_name(const std::string& name) {
  return ui::ellipsize(ui::one_line(name), ui::Cols{kNameCols});
}

std::string found_text(const Suggestion& suggestion, SuggestedFor where) {
  if (suggestion.n_found == 0)
    return where == SuggestedFor::chat ? "On this disk: no model but the bundled one"
                                       : "On this disk: no model, not even the bundled one";
  const std::string found =
      "On this disk: " + counted(static_cast<std::int64_t>(suggestion.n_found), "model");
  if (suggestion.model)
    return fmt::format("{}; {} ({}) fits", found, short_name(suggestion.model->name),
                       size_text(suggestion.model->bytes));
  return found + ", too large for the memory that is free";
}

std::string fitting_text(const Suggestion& suggestion) {
  const std::string text =
      fmt::format("What fits: files up to {}", size_text(suggestion.room_bytes));
  if (!suggestion.to_pull) return text;
  return fmt::format("{}, such as {} ({})", text, short_name(suggestion.to_pull->name),
                     size_text(suggestion.to_pull->bytes));
}

}  // namespace

std::array<std::string, 3> suggestion_lines(const Suggestion& suggestion, SuggestedFor where) {
  std::string type = "confab -m FILE.gguf";
  if (suggestion.model)
    type = (where == SuggestedFor::chat ? "/model " : "confab -m ") +
           short_name(suggestion.model->name);
  else if (suggestion.to_pull)
    type = (where == SuggestedFor::chat ? "/pull " : "confab pull ") + suggestion.to_pull->pull;
  return {found_text(suggestion, where), fitting_text(suggestion), "A real model: " + type};
}

std::uint64_t room_for_model(std::uint64_t available_bytes) {
  constexpr std::uint64_t kShare = 4;  // a quarter is left for the KV cache and other programs
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
  } catch (const UserError&) {  // confab pull --suggest reports the faults of a list
  }
  return suggestion;
}

}  // namespace confab::app
