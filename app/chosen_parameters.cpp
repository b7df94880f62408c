// SPDX-License-Identifier: MIT
// What an engine elsewhere is told of the parameters: that part of app/parameters.h.
#include "app/parameters.h"

namespace confab::app {

std::vector<std::string> chosen_parameters(const AnswerOptions& options) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters()) {
    const bool is_of_answer = std::holds_alternative<int AnswerOptions::*>(parameter.member);
    if (!is_of_answer && origin_of(parameter, options) != Origin::built_in)
      names.emplace_back(parameter.name);
  }
  return names;
}

}  // namespace confab::app
