// SPDX-License-Identifier: MIT
// The models of the list that fit this machine, in words.
#pragma once

#include <string>
#include <string_view>

#include "app/paths.h"

namespace confab::app {

struct SuggestedPulls {
  std::string models;   // two lines for each: what it is, and what to type
  std::string about;    // how much fits, and where the list is; two lines
  bool is_any = false;  // whether one fits
};

// command: what stands before a model's name, "confab pull" or "/pull". Throws UserError for a list
// that is none.
SuggestedPulls suggested_pulls(const Paths& paths, std::string_view command);

}  // namespace confab::app
