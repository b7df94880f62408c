// SPDX-License-Identifier: MIT
#include "app/cli/question_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "app/attach/reader.h"
#include "app/chat/question.h"
#include "app/cli/parser.h"
#include "app/error.h"
#include "app/expectation.h"
#include "app/option_table.h"
#include "app/parameter_notation.h"
#include "app/paths.h"
#include "app/whole_file.h"
#include "engine/error.h"
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

using Kind = engine::ConstraintSpec::Kind;

std::string text_of(const std::string& path) {
  const FileLimits limits{.takes_pipes = true};
  auto text = whole_file(expand_home(path), limits);
  if (!text) throw UsageError(fmt::format("{}: {}", path, read_fault(errno, limits)));
  return *std::move(text);
}

void put_between(const std::vector<std::string>& markers, engine::ConstraintSpec& shape) {
  shape.opening = markers[0];
  shape.closing = markers[1];
  if (shape.opening.empty() || shape.closing.empty())
    throw UsageError("--within: a marker is empty; give two texts, such as '<call>' '</call>'");
}

bool is_language(std::string_view word) {
  constexpr std::size_t kMaxBytes = 20;
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '#' || c == '-' || c == '_';
  };
  std::error_code error;
  return !word.empty() && word.size() <= kMaxBytes && word[0] != '-' &&
         std::ranges::all_of(word, is_of_name) &&
         !std::filesystem::exists(expand_home(word), error);
}

// --extract takes out the code that --expect asks for, so either option may name the language.
void join_languages(OnceOptions& once) {
  std::string& expected = once.expected.language;
  if (once.expected.kind != Expectation::Kind::code)
    throw UsageError("--extract and --expect can be used together only for code: --expect code");
  if (expected.empty()) expected = once.language;
  if (once.language.empty()) once.language = expected;
  if (expected != once.language)
    throw UsageError(
        fmt::format("--extract {} and --expect code:{} name different languages: give "
                    "one of them",
                    once.language, expected));
}

void finish_expectation(const OnceWords& words, ChatOptions& options) {
  if (!words.expected) {
    if (words.n_retries) throw UsageError("--retries works only with --expect");
    return;
  }
  try {
    options.once.expected = parse_expectation(*words.expected);
  } catch (const UserError& fault) {
    throw UsageError(fmt::format("--expect: {}", fault.what()));
  }
  if (words.n_retries) options.once.n_retries = *words.n_retries;
  const std::pair<bool, const char*> company[] = {
      {options.decision.is_wanted(), "--yes-no or --choose"},
      {options.n_answers > 1, "--n"},
      {options.shape.kind != engine::ConstraintSpec::Kind::none,
       "--json-schema, --grammar or --regex"}};
  for (const auto& [is_given, flag] : company)
    if (is_given)
      throw UsageError(
          fmt::format("--expect and {} cannot be used together: give one of them", flag));
  if (words.code) join_languages(options.once);
}

// Complains only about the flag: the configuration may contain the option for the other kind of
// run.
void check_overflow(const ChatOptions& options) {
  const Option& row = *find_option("overflow");
  const auto texts = value_texts(row.value, options);
  if (texts.empty() || source_of(row, options).origin != Origin::command_line) return;
  if (options.decision.is_wanted() && options.overflow != Overflow::error)
    throw UsageError(
        fmt::format("--overflow {} has no effect on --yes-no and --choose, which read all of the "
                    "question or refuse it; give a shorter one, or a larger -c",
                    texts.front()));
  const bool is_for_chat = !is_of_question(options.overflow) && options.overflow != Overflow::shift;
  if (options.prompt && is_for_chat)
    throw UsageError(
        fmt::format("--overflow {} is for the chat; with -p give error, split, truncate or shift",
                    texts.front()));
  if (!options.prompt && is_of_question(options.overflow))
    throw UsageError(
        fmt::format("--overflow {} needs a question: confab -p \"QUESTION\"; the chat takes shift, "
                    "summarise or stop",
                    texts.front()));
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
  if (!options.prompt) options.prompt = "";  // the question comes from standard input
  refuse_company(options);
}

void add_shape_options(CLI::App& app, ShapeWords& words) {
  app.add_option("-j,--json-schema", words.schema,
                 "Answer with JSON that is valid under this JSON Schema; '{}': any JSON")
      ->type_name("SCHEMA");
  app.add_option("--json-schema-file", words.schema_file, "The same, from a file (also -jf)")
      ->type_name("FILE");
  app.add_option("--grammar", words.grammar, "Answer as this GBNF grammar has it")
      ->type_name("GRAMMAR");
  app.add_option("--grammar-file", words.grammar_file, "The same, from a file")->type_name("FILE");
  app.add_option("--regex", words.pattern,
                 "Answer with a text that this regular expression matches")
      ->type_name("PATTERN");
  app.add_option("--within", words.markers,
                 "Only what stands between these markers has the shape, as in a tool call; the "
                 "rest is free")
      ->type_name("OPENING CLOSING")
      ->expected(2);
}

engine::ConstraintSpec shape_of(const ShapeWords& words) {
  struct Given {
    Kind kind;
    const std::string& value;
    const char* flag;
    bool is_file;
  };
  const std::array<Given, 5> sources{
      {{Kind::json_schema, words.schema, "--json-schema", false},
       {Kind::json_schema, words.schema_file, "--json-schema-file", true},
       {Kind::gbnf, words.grammar, "--grammar", false},
       {Kind::gbnf, words.grammar_file, "--grammar-file", true},
       {Kind::pattern, words.pattern, "--regex", false}}};
  const Given* given = nullptr;
  for (const Given& source : sources) {
    if (source.value.empty()) continue;
    if (given != nullptr)
      throw UsageError(fmt::format("{} and {} cannot be used together: give one of them",
                                   given->flag, source.flag));
    given = &source;
  }
  if (given == nullptr && !words.markers.empty())
    throw UsageError("--within needs a shape: add --json-schema, --grammar or --regex");
  if (given == nullptr) return {};
  engine::ConstraintSpec shape{.kind = given->kind,
                               .text = given->is_file ? text_of(given->value) : given->value};
  if (!words.markers.empty()) put_between(words.markers, shape);
  try {
    engine::check_constraint(shape);
  } catch (const engine::ModelError& fault) {
    throw UsageError(
        fmt::format("{}: {}", given->is_file ? given->value : given->flag, fault.what()));
  }
  return shape;
}

void add_once_options(CLI::App& app, OnceWords& words, ChatOptions& options) {
  app.add_flag_callback(
      "--no-stdin", [&options] { options.read_stdin = false; },
      "With -p: do not read standard input (for use in loops that read it)");
  app.add_flag("--keep-html", options.once.keep_html,
               "With -p: attach web pages with their tags, not as text");
  add_count(app, "--n", options.n_answers, {1, kMaxAnswers},
            "With -p: write N answers, each below a line \"=== answer 1 of N ===\"");
  app.add_flag("--json", words.json, "With -p: write the answer and what belongs to it as JSON");
  app.add_flag("--stream-json", words.json_events,
               "With -p: write what happens as it happens, as one line of JSON each");
  app.add_option("-x,--extract", words.language,
                 "With -p: write only the first code block of the answer, or the first in LANG")
      ->each([&words](const std::string&) { words.code = true; })
      ->type_name("LANG");
  app.add_option("--expect", words.expected,
                 "With -p: check that the answer has this form, and ask again where it has not: "
                 "list[:N], code[:LANG], table[:COLUMNS] or json")
      ->type_name("FORM");
  add_count(app, "--retries", words.n_retries, {0, kMaxRetries},
            "With --expect: ask again up to N times (default: 2)");
  app.add_flag("-q,--quiet", options.once.quiet, "With -p: nothing on standard error but errors");
}

void fill_in_language(std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] != "-x" && words[i] != "--extract") continue;
    if (i + 1 == words.size() || !is_language(words[i + 1]))
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, "");
    ++i;
  }
}

void finish_once_options(const OnceWords& words, ChatOptions& options) {
  OnceOptions& once = options.once;
  const int n_formats = int{words.json} + int{words.json_events} + int{words.code};
  if (n_formats > 1)
    throw UsageError(
        "--json, --stream-json and --extract cannot be used together: give one of them");
  if (words.code && options.n_answers > 1)
    throw UsageError("--extract and --n cannot be used together: give one of them");
  if (words.json) once.output = OutputFormat::json;
  if (words.json_events) once.output = OutputFormat::json_events;
  if (words.code) once.output = OutputFormat::code;
  once.language = words.language;
  finish_expectation(words, options);
  check_overflow(options);
  if (options.prompt) return;
  if (options.n_answers > 1)
    throw UsageError("--n works only with -p; in the chat, /retry N writes N answers");
  const std::pair<bool, const char*> given[] = {
      {n_formats > 0, "--json, --stream-json or --extract"},
      {once.keep_html, "--keep-html"},
      {once.expected.is_wanted(), "--expect"},
      {once.quiet, "--quiet"}};
  for (const auto& [is_given, flag] : given)
    if (is_given)
      throw UsageError(fmt::format("{} needs a question: confab -p \"QUESTION\"", flag));
}

}  // namespace confab::app
