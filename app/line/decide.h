// SPDX-License-Identifier: MIT
// `confab --yes-no` and `--choose`: one of a few texts on stdout, everything else on stderr.
// Which one, by how likely each is as the model's answer.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/paths.h"
#include "engine/api/events.h"

namespace confab::app {

// What can be chosen: its spellings count as one.
struct Choice {
  std::string name;
  std::vector<std::string> spellings;
};

// "yes" and "no", or those of the options: each as it is given and with a capital letter.
std::vector<Choice> choices_of(const DecisionOptions& options);
// All spellings, in their order.
std::vector<std::string> spellings_of(std::span<const Choice> choices);
// The question with the form that its answer is to have.
std::string asked_for_choice(const std::string& question, const DecisionOptions& options);

struct Verdict {
  std::size_t best = 0;
  std::vector<double> probabilities;  // of the choices, 1 together
  // How likely the model is to answer with any of them at all.
  double coverage = 0;
};

// By the scores of all spellings. A choice is as likely as an answer that begins with one of its
// spellings and with no longer one that begins like it: "yes" is not "yes, but". Where it ends does
// not count, since models explain themselves: of the bundled one's answers to 30 questions a tenth
// begin with yes or no, and less than one in a hundred million is nothing else.
Verdict weigh(std::span<const Choice> choices, std::span<const engine::OptionScore> scores);

// options.decision is wanted. Returns the exit status (app/exit_status.h): success, or that of a
// failure for "no" as well, which alone has something on stdout; no_valid_answer when no choice is
// as likely as the threshold; 128 and its number for a signal. Throws like open_backend(), and
// TooLongError.
int run_decide(const ChatOptions& options, const Paths& paths);

}  // namespace confab::app
