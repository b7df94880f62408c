// SPDX-License-Identifier: MIT
// The part of the command line that asks for a decision: --yes-no, --choose.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

// As they were typed.
struct DecisionWords {
  std::optional<std::string> yes_no = {};  // the question; empty: -p has it, or standard input
  std::optional<std::string> choose = {};
  std::optional<std::string> choose_from = {};
  float threshold = 0;
  bool json = false;  // --json, which is of all answers
};

// Fills in what --yes-no means where its question is left out; it has none where -p has it.
void fill_in_question(std::vector<std::string>& words);
// `words` must outlive the parsing.
void add_decision_options(CLI::App& app, DecisionWords& words);
// Has the options decide between what the words say, if they say anything; reads the file of
// choices. Throws UsageError, and UserError when that cannot be read.
void finish_decision(const DecisionWords& words, ChatOptions& options);

}  // namespace confab::app
