// SPDX-License-Identifier: MIT
// `confab --yes-no` and `--choose`: prints the most likely of a few texts on stdout, and everything
// else on stderr.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/paths.h"
#include "engine/api/events.h"

namespace confab::app {

// One possible choice. All its spellings count for it.
struct Choice {
  std::string name;
  std::vector<std::string> spellings;
};

// "yes" and "no", or the choices in the options. Each is spelled as given and with a capital
// letter.
std::vector<Choice> choices_of(const DecisionOptions& options);
// The spellings of all choices, in order.
std::vector<std::string> spellings_of(std::span<const Choice> choices);
// The question, followed by the form that its answer should have.
std::string asked_for_choice(const std::string& question, const DecisionOptions& options);

struct Verdict {
  std::size_t best = 0;
  std::vector<double> probabilities;  // one for each choice; they add up to 1
  // The probability that the model answers with any of the choices.
  double coverage = 0;
};

// Weighs the choices by the scores of all spellings, in the order of spellings_of(). A choice is as
// likely as an answer that starts with one of its spellings, but not with a longer spelling: "yes"
// excludes "yes, but". The rest of the answer does not matter, because models explain themselves:
// of the bundled model's answers to 30 questions, a tenth start with yes or no, and fewer than one
// in a hundred million are just that word.
Verdict weigh(std::span<const Choice> choices, std::span<const engine::OptionScore> scores);

// Requires options.decision. Returns the exit status (app/exit_status.h): success; the status of a
// failure for "no", which prints "no" as well; no_valid_answer if no choice reaches the threshold;
// 128 plus the number of a signal. Throws like open_backend(), and TooLongError.
int run_decide(const ChatOptions& options, const Paths& paths);

}  // namespace confab::app
