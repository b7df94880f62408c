// SPDX-License-Identifier: MIT
#include "app/expectation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "app/error.h"
#include "app/figures.h"
#include "ui/words.h"

namespace confab::app {
namespace {

using Kind = Expectation::Kind;

constexpr auto kNames = std::to_array<std::pair<std::string_view, Kind>>(
    {{"list", Kind::list}, {"code", Kind::code}, {"table", Kind::table}, {"json", Kind::json}});

std::string_view word_of(Kind kind) {
  return std::ranges::find(kNames, kind, &std::pair<std::string_view, Kind>::second)->first;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::size_t number_of(std::string_view text, std::string_view what) {
  constexpr std::size_t kMost = 1000;
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > kMost)
    throw UserError(
        fmt::format("{} must be a whole number from 1 to {}, not {}", what, grouped(kMost), text));
  return n;
}

std::vector<std::string> columns_of(std::string_view text) {
  std::vector<std::string> columns;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    columns.emplace_back(ui::trimmed(text.substr(at, end - at)));
    if (columns.back().empty() || columns.back().find_first_of("|\n") != std::string::npos)
      throw UserError(
          fmt::format("the columns of a table must be a number, or their names with commas between "
                      "them, not {}",
                      text));
    at = end + 1;
  }
  return columns;
}

std::string language_of(std::string_view text) {
  if (text.find_first_of(" \t\n`~") != std::string_view::npos)
    throw UserError(fmt::format("the language of code must be one word, not {}", text));
  return std::string(text);
}

void take_detail(Expectation& expected, std::string_view detail) {
  if (expected.kind == Kind::list) expected.n = number_of(detail, "the length of a list");
  if (expected.kind == Kind::code) expected.language = language_of(detail);
  if (expected.kind == Kind::json)
    throw UserError(fmt::format("json takes nothing after it, not :{}", detail));
  if (expected.kind != Kind::table) return;
  if (is_number(detail))
    expected.n = number_of(detail, "the number of columns");
  else
    expected.columns = columns_of(detail);
}

// " of exactly 3 items"
std::string of_exactly(std::size_t n, std::string_view noun) {
  return n == 0 ? "" : " of exactly " + counted(static_cast<std::int64_t>(n), noun);
}

std::string order_of_table(const Expectation& expected) {
  const std::string table = fmt::format("Answer with a Markdown table{} and nothing else.",
                                        of_exactly(expected.n, "column"));
  if (expected.columns.empty()) return table;
  return fmt::format("{} It has exactly these columns, in this order: {}.", table,
                     fmt::join(expected.columns, ", "));
}

// The expectation as an instruction to the model.
std::string order(const Expectation& expected) {
  const std::string& language = expected.language;
  switch (expected.kind) {
    case Kind::list:
      return fmt::format(
          "Answer with a list{} and nothing else: one item a line, each after \"- \".",
          of_exactly(expected.n, "item"));
    case Kind::code:
      return fmt::format(
          "Write the {}code in one code block: a line ```{} before it, and a line ``` after it.",
          language.empty() ? "" : language + ' ', language);
    case Kind::table:
      return order_of_table(expected);
    case Kind::json:
      return "Answer with valid JSON and nothing else: one value, with no text before or after "
             "it.";
    case Kind::none:
      break;
  }
  return {};
}

}  // namespace

Expectation parse_expectation(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto found =
      std::ranges::find(kNames, text.substr(0, colon), &std::pair<std::string_view, Kind>::first);
  if (found == kNames.end())
    throw UserError(fmt::format(
        "'{}' is not a form: give list[:N], code[:LANG], table[:COLUMNS] or json", text));
  Expectation expected{.kind = found->second};
  if (colon == text.size()) return expected;
  const std::string_view detail = ui::trimmed(text.substr(colon + 1));
  if (detail.empty()) throw UserError(fmt::format("{} has nothing after its colon", text));
  take_detail(expected, detail);
  return expected;
}

std::string name_of(const Expectation& expected) {
  if (!expected.is_wanted()) return {};
  std::string name(word_of(expected.kind));
  if (expected.n > 0) name += fmt::format(":{}", expected.n);
  if (!expected.columns.empty()) name += fmt::format(":{}", fmt::join(expected.columns, ","));
  if (!expected.language.empty()) name += ':' + expected.language;
  return name;
}

std::string asked_in_form(const std::string& question, const Expectation& expected) {
  return expected.is_wanted() ? question + "\n\n" + order(expected) : question;
}

std::string asked_again(const std::string& asked, std::span<const std::string> faults) {
  std::string text = asked + "\n\n";
  for (const std::string& fault : faults)
    text += fmt::format("An earlier answer was refused: {}.\n", fault);
  return text + "Answer again, and keep exactly to the form that is asked for above.";
}

}  // namespace confab::app
