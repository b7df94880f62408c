// SPDX-License-Identifier: MIT
#include "app/cli/decision_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "app/attach/reader.h"
#include "app/chat/question.h"
#include "app/cli/parser.h"
#include "app/error.h"
#include "app/parameter_notation.h"
#include "ui/words.h"

namespace confab::app {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    if (const std::string_view word = ui::trimmed(part, kBlanks); !word.empty())
      parts.emplace_back(word);
  return parts;
}

std::vector<std::string> choices_of(const DecisionWords& words) {
  std::vector<std::string> choices =
      words.choose ? split(*words.choose, ',') : split(*read_one(*words.choose_from).content, '\n');
  const std::string_view flag = words.choose ? "--choose" : "--choose-from";
  if (choices.size() < 2)
    throw UsageError(fmt::format("{} needs at least two different choices{}", flag,
                                 words.choose ? ": --choose A,B" : ", a line each"));
  std::vector<std::string> sorted = choices;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw UsageError(fmt::format("{}: '{}' is there twice", flag, *twice));
  return choices;
}

void add_threshold(CLI::App& app, float& value) {
  app.add_option_function<std::string>(
         "--threshold",
         [&value](const std::string& text) {
           const auto p = real_in(text);
           if (!p || !(*p >= 0 && *p <= 1))
             throw CLI::ValidationError("--threshold must be a number from 0 to 1, not " + text);
           value = static_cast<float>(*p);
         },
         "With these: exit status 3 when no choice is so likely")
      ->type_name("P");
}

bool is_prompt_flag(const std::string& word) {
  return word == "-p" || word == "--prompt" || word.starts_with("--prompt=");
}

void refuse_company(const ChatOptions& options) {
  const auto refuse = [](bool given, std::string_view flag) {
    if (given)
      throw UsageError(
          fmt::format("{} cannot be used with --yes-no or --choose: leave it out", flag));
  };
  refuse(options.continue_last, "--continue");
  refuse(options.resume.has_value(), "--resume");
  refuse(options.n_answers > 1, "--n");
}

}  // namespace

void fill_in_question(std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  const auto flag = std::find(words.begin(), end, "--yes-no");
  if (flag == end) return;
  const bool has_prompt = std::any_of(words.begin(), end, is_prompt_flag);
  const auto next = flag + 1;
  const bool has_value = next != end && is_value(*next);
  if (!has_value || has_prompt) words.insert(next, "");
}

void add_decision_options(CLI::App& app, DecisionWords& words) {
  app.add_option("--yes-no", words.yes_no,
                 "Decide a question, with the files and standard input: print yes or no. Exit "
                 "status 0 for yes, 1 for no")
      ->type_name("TEXT");
  app.add_option("--choose", words.choose,
                 "Choose one of these as the answer to -p or standard input, and print it")
      ->type_name("A,B,...");
  app.add_option("--choose-from", words.choose_from,
                 "The same with a file that has a choice a line")
      ->type_name("FILE");
  add_threshold(app, words.threshold);
}

void finish_decision(const DecisionWords& words, ChatOptions& options) {
  const int n_given = static_cast<int>(words.yes_no.has_value()) +
                      static_cast<int>(words.choose.has_value()) +
                      static_cast<int>(words.choose_from.has_value());
  if (n_given > 1)
    throw UsageError("--yes-no, --choose and --choose-from cannot be used together: give one");
  if (n_given == 0) {
    if (words.threshold > 0) throw UsageError("--threshold works only with --yes-no or --choose");
    return;
  }
  DecisionOptions& decision = options.decision;
  decision.yes_no = words.yes_no.has_value();
  if (!decision.yes_no) decision.choices = choices_of(words);
  decision.threshold = words.threshold;
  decision.json = words.json;
  if (words.yes_no && !words.yes_no->empty()) {
    if (options.prompt && !options.prompt->empty())
      throw UsageError("the question is there twice: give it to --yes-no or to -p");
    options.prompt = words.yes_no;
  }
  if (!options.prompt) options.prompt = "";  // standard input is the question
  refuse_company(options);
}

}  // namespace confab::app
