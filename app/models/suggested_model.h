// SPDX-License-Identifier: MIT
// What to tell somebody who only has the bundled model.
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
  std::optional<FoundModel> model = {};     // the largest one that fits; nullopt: none does
  std::size_t n_too_large = 0;              // of those that were found
  std::uint64_t room_bytes = 0;             // for a model file, beside its cache and other programs
  std::size_t n_found = 0;                  // without the bundled ones
  std::optional<ListedModel> to_pull = {};  // the best of the list that fits
  bool operator==(const Suggestion&) const = default;
};

Suggestion suggest_model(std::span<const FoundModel> models, std::uint64_t available_bytes);
// What a model file may take of so much memory: the rest is for its cache and what else runs.
std::uint64_t room_for_model(std::uint64_t available_bytes);
// What was found, what would fit, and what to type, each at most as long as 78 columns.
enum class SuggestedFor {
  chat,        // that goes on with the bundled model
  no_bundled,  // the command line, where there is not even that
};
std::array<std::string, 3> suggestion_lines(const Suggestion& suggestion, SuggestedFor where);

// Of this machine. Looks through folders, which may take a moment.
Suggestion suggest_model();

}  // namespace confab::app
