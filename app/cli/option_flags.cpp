// SPDX-License-Identifier: MIT
#include "app/cli/option_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "app/cli/config.h"
#include "ui/words.h"

namespace confab::app {
namespace {

using Texts = std::vector<std::string>;

// Spellings of flags that have no row in the option table.
struct Spelling {
  std::string_view flag;
  std::string_view also;  // separated by spaces
};
constexpr auto kSpellings = std::to_array<Spelling>({
    {"--parallel", "-npl"},
    {"--gpu-layers", "-ngl --n-gpu-layers"},
    {"--json-schema-file", "-jf"},
});

// Adds "--no-x" or "--x", and its opposite. Both also take a value after "=".
CLI::Option* add_switch(CLI::App& app, ChatOptions& options, const Option& option) {
  const bool negates = flag_negates(option);
  const std::string name = long_flag(option).substr(negates ? 5 : 2);
  const std::string contrary = fmt::format("!--{}{}", negates ? "" : "no-", name);
  CLI::Option* flag = app.add_flag(fmt::format("{},{}", option.flag, contrary));
  return flag->each([&options, &option, negates](std::string text) {
    if (negates && (text == "true" || text == "false")) text = text == "true" ? "false" : "true";
    const std::string fault = set_option(option, options, Texts{text}, {Origin::command_line});
    if (!fault.empty()) throw CLI::ValidationError(fault);  // the parser adds the name of the flag
  });
}

CLI::Option* add_valued(CLI::App& app, ChatOptions& options, const Option& option) {
  const bool is_list = notation_of(option.value) == Notation::texts;
  CLI::callback_t take = [&options, &option](const Texts& texts) {
    const std::string fault = set_option(option, options, texts, {Origin::command_line});
    if (!fault.empty()) throw CLI::ValidationError(fmt::format("{} {}", long_flag(option), fault));
    return true;
  };
  CLI::Option* flag = app.add_option(std::string(option.flag), std::move(take));
  flag->type_name(std::string(option.value_name));
  flag->multi_option_policy(is_list ? CLI::MultiOptionPolicy::TakeAll
                                    : CLI::MultiOptionPolicy::TakeLast);
  const Texts choices = choices_of(option.value);
  // For help and completion only: the row itself rejects other values. A single choice is an
  // alternative to a number, so it is not listed.
  if (choices.size() > 1)
    flag->check(CLI::Validator([](const std::string&) { return std::string(); },
                               fmt::format("{{{}}}", fmt::join(choices, ","))));
  return flag;
}

// More layers than any model has.
constexpr int kAllLayers = 1 << 20;

// Accepts what llama.cpp accepts: a number, -1 or auto for the best number, -2 or all for all
// layers.
std::string set_gpu_layers(std::optional<int>& n_layers, const std::string& text) {
  if (text == "auto" || text == "-1") {
    n_layers.reset();
    return {};
  }
  if (text == "all" || text == "-2") {
    n_layers = kAllLayers;
    return {};
  }
  int n = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  if (error != std::errc{} || stop != end || n < 0)
    return fmt::format("--gpu-layers must be a whole number, auto or all, not {}", text);
  n_layers = n;
  return {};
}

}  // namespace

void add_options(CLI::App& app, ChatOptions& options, std::initializer_list<OptionGroup> groups,
                 const std::string& heading) {
  for (const Option& option : option_table()) {
    if (std::ranges::find(groups, option.group) == groups.end()) continue;
    CLI::Option* flag =
        is_switch(option) ? add_switch(app, options, option) : add_valued(app, options, option);
    flag->description(help_text(option));
    if (!heading.empty()) flag->group(heading);
  }
}

void add_gpu_layers(CLI::App& app, ChatOptions& options) {
  const auto take = [&options](const std::string& text) {
    const std::string fault = set_gpu_layers(options.model.n_gpu_layers, text);
    if (!fault.empty()) throw CLI::ValidationError(fault);
  };
  app.add_option_function<std::string>("--gpu-layers", take)
      ->type_name("N")
      ->group("")
      ->take_last();
}

std::vector<std::string> shown_names(const CLI::Option& option) {
  std::vector<std::string> names;
  const std::vector<std::string>& contrary = option.get_fnames();
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames())
    if (std::ranges::find(contrary, name) == contrary.end()) names.push_back("--" + name);
  return names;
}

std::optional<std::string> our_spelling(std::string_view flag) {
  for (const Option& option : option_table())
    if (ui::has_word(option.also, flag)) return long_flag(option);
  for (const Spelling& row : kSpellings)
    if (ui::has_word(row.also, flag)) return std::string(row.flag);
  return std::nullopt;
}

std::vector<std::string> other_spellings(std::string_view flag) {
  Texts spellings;
  const auto add = [&](std::string_view also) {
    for (std::string_view word = ui::take_word(also); !word.empty(); word = ui::take_word(also))
      spellings.emplace_back(word);
  };
  for (const Option& option : option_table())
    if (long_flag(option) == flag) add(option.also);
  for (const Spelling& row : kSpellings)
    if (row.flag == flag) add(row.also);
  return spellings;
}

}  // namespace confab::app
