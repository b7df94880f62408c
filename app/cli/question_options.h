// SPDX-License-Identifier: MIT
// The options of one question: what `confab -p` reads and writes, a decision (--yes-no, --choose),
// and the shape of the answer.
//
// For each, add_...() describes the options to the parser, and a second function checks what was
// typed. Everything that add_...() takes by reference must outlive the parsing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

// The words as they were typed.
struct OnceWords {
  bool json = false;
  bool json_events = false;
  bool code = false;
  std::string language = {};
  std::optional<std::string> expected = {};
  std::optional<int> n_retries = {};
};
void add_once_options(CLI::App& app, OnceWords& words, ChatOptions& options);
// Inserts an empty language behind every --extract that has none. The next word is the language if
// it cannot be anything else: it is neither an option nor the name of an existing file.
void fill_in_language(std::vector<std::string>& words);
// Throws UsageError if options exclude each other, or need -p. The decision and the shape of the
// answer must be in the options already.
void finish_once_options(const OnceWords& words, ChatOptions& options);

struct DecisionWords {
  std::optional<std::string> yes_no = {};  // the question; empty: -p has it, or standard input
  std::optional<std::string> choose = {};
  std::optional<std::string> choose_from = {};
  float threshold = 0;
  bool json = false;  // --json, which all answers share
};
void add_decision_options(CLI::App& app, DecisionWords& words);
// Inserts an empty question behind a --yes-no that has none, or whose question -p has.
void fill_in_question(std::vector<std::string>& words);
// Sets the decision that the words ask for, if they ask for one; reads the file of choices. Throws
// UsageError, and UserError if that file cannot be read.
void finish_decision(const DecisionWords& words, ChatOptions& options);

struct ShapeWords {
  std::string schema = {};
  std::string schema_file = {};
  std::string grammar = {};
  std::string grammar_file = {};
  std::string pattern = {};
  std::vector<std::string> markers = {};  // the opening and the closing text around the shape
};
void add_shape_options(CLI::App& app, ShapeWords& words);
// Throws UsageError if several shapes are given, a file cannot be read, or the schema, grammar or
// expression is invalid.
engine::ConstraintSpec shape_of(const ShapeWords& words);

}  // namespace confab::app
