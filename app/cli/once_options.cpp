// SPDX-License-Identifier: MIT
#include "app/cli/once_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "app/cli/parser.h"
#include "app/error.h"
#include "app/expectation.h"
#include "app/option_table.h"
#include "app/paths.h"
#include "app/retries.h"

namespace confab::app {
namespace {

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

// What --extract takes out is what is expected; either of them may name its language.
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

// The configuration may have it for the other kind of run.
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
