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
#include "app/paths.h"

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

}  // namespace

void add_once_options(CLI::App& app, OnceWords& words, ChatOptions& options) {
  app.add_flag_callback(
      "--no-stdin", [&options] { options.read_stdin = false; },
      "With -p: do not read standard input (for use in loops that read it)");
  app.add_flag("--keep-html", options.once.keep_html,
               "With -p: attach web pages with their tags, not as text");
  add_choice(
      app, "--overflow", words.overflow, {"error", "split", "truncate"},
      "With -p, when files do not fit into the context: fail (the default), ask about pieces "
      "and merge the answers, or leave out the middle of the longest")
      .type_name("{error,split,truncate}");
  add_count(app, "--n", options.n_answers, {1, kMaxAnswers},
            "With -p: write N answers, each below a line \"=== answer 1 of N ===\"");
  app.add_flag("--json", words.json, "With -p: write the answer and what belongs to it as JSON");
  app.add_flag("--stream-json", words.json_events,
               "With -p: write what happens as it happens, as one line of JSON each");
  app.add_option("-x,--extract", words.language,
                 "With -p: write only the first code block of the answer, or the first in LANG")
      ->each([&words](const std::string&) { words.code = true; })
      ->type_name("LANG");
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
  if (words.overflow == "truncate") once.overflow = Overflow::truncate;
  if (words.overflow == "split") once.overflow = Overflow::split;
  if (options.prompt) return;
  if (options.n_answers > 1)
    throw UsageError("--n works only with -p; in the chat, /retry N writes N answers");
  const std::pair<bool, const char*> given[] = {
      {n_formats > 0, "--json, --stream-json or --extract"},
      {!words.overflow.empty(), "--overflow"},
      {once.keep_html, "--keep-html"},
      {once.quiet, "--quiet"}};
  for (const auto& [is_given, flag] : given)
    if (is_given)
      throw UsageError(fmt::format("{} needs a question: confab -p \"QUESTION\"", flag));
}

}  // namespace confab::app
