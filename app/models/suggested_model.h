// SPDX-License-Identifier: MIT
// Suggestions for a person who only has the bundled model.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "app/models/listed_models.h"
#include "app/models/model_finder.h"

namespace confab::app {

struct Suggestion {
  std::optional<FoundModel> model = {};  // the largest model that fits; nullopt if none does
  std::size_t n_too_large = 0;           // found models that are too large
  std::uint64_t room_bytes = 0;          // for a model file, besides its cache and other programs
  std::size_t n_found = 0;               // models found, without the bundled ones
  std::optional<ListedModel> to_pull = {};  // the best model of the list that fits
  bool operator==(const Suggestion&) const = default;
};

Suggestion suggest_model(std::span<const FoundModel> models, std::uint64_t available_bytes);
// The share of this memory that a model file may take; the rest is for its cache and other
// programs.
std::uint64_t room_for_model(std::uint64_t available_bytes);
// Three lines, each at most 78 columns: what was found, what would fit, and what to type.
enum class SuggestedFor {
  chat,        // continues with the bundled model
  no_bundled,  // the command line, without even a bundled model
};
std::array<std::string, 3> suggestion_lines(const Suggestion& suggestion, SuggestedFor where);

// The suggestion for this machine. Searches folders, which may take a moment.
Suggestion suggest_model();

}  // namespace confab::app
