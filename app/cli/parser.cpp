// SPDX-License-Identifier: MIT
#include "app/cli/parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <sstream>

#include "app/cli/option_flags.h"
#include "app/cli/version.h"
#include "app/cli/wrong_turns.h"
#include "app/error.h"
#include "app/nearest.h"

namespace confab::app {
namespace {

constexpr std::size_t kColumn = 26;  // column where help texts begin
constexpr std::size_t kWidth = 80;

// Prints help in two columns, and wraps the right one.
class PlainHelp : public CLI::Formatter {
 public:
  PlainHelp() { column_width(kColumn); }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string left =
        "  " + (is_positional ? option->get_name(true)
                              : fmt::format("{}", fmt::join(shown_names(*option), ",")));
    if (const std::string value = value_name(*option); !value.empty() && !is_positional)
      left += ' ' + value;
    return row(left, option->get_description());
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return row("  " + sub->get_name(), sub->get_description());
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    const std::string usage = Formatter::make_usage(app, std::move(name));
    return CLI::detail::find_and_replace(usage, "SUBCOMMAND", "COMMAND");
  }

 private:
  static std::string row(std::string line, const std::string& help) {
    std::string text;
    if (line.size() + 1 > kColumn) text = std::exchange(line, {}) + '\n';
    line.resize(kColumn, ' ');
    std::istringstream words(help);
    for (std::string word; words >> word;) {
      if (line.size() > kColumn && line.size() + 1 + word.size() > kWidth) {
        text += line + '\n';
        line.assign(kColumn, ' ');
      }
      line += (line.size() > kColumn ? " " : "") + word;
    }
    return text + line + '\n';
  }
};

// "json, md or html".
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::string told_unknown(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  if (!word.starts_with('-')) {
    names = names_of_commands(app);
    if (names.empty() || !app.get_subcommands().empty())
      return fmt::format("unexpected argument '{}'", word);
    return fmt::format("no command '{}'; the commands are: {}", word, fmt::join(names, ", "));
  }
  const auto add = [&names](const CLI::App& of) {
    for (const CLI::Option* option : of.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  };
  add(app);
  for (const CLI::App* sub : app.get_subcommands()) add(*sub);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = nearest(word.substr(0, word.find('=')), views);
  return fmt::format("no option {}{}", word, near ? fmt::format("; did you mean {}?", *near) : "");
}

// Rewords the parser's own messages for people.
std::string told(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::vector<std::string> left = app.remaining(true);
  const std::size_t colon = text.find(": ");
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !left.empty())
    return told_unknown(app, left.front());
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && text.ends_with("missing"))
    return text.substr(0, colon) + " needs a value";
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr &&
      text.find(": At Most") != std::string::npos)
    return text.substr(0, colon) + " can be given only once";
  if (text.find(": must be ") == colon && colon != std::string::npos)
    return text.substr(0, colon) + text.substr(colon + 1);
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) return text;
  if (text.starts_with("A subcommand"))
    return fmt::format("name one of: {}", fmt::join(names_of_commands(app), ", "));
  return text.substr(0, text.rfind(" is required")) + " is missing";
}

bool has_flag(const CLI::App& app, const std::string& flag) {
  if (app.get_option_no_throw(flag) != nullptr) return true;
  const auto subs = app.get_subcommands([](const CLI::App*) { return true; });
  return std::ranges::any_of(subs, [&](const CLI::App* sub) { return has_flag(*sub, flag); });
}

void spell_out(const CLI::App& app, std::vector<std::string>& words) {
  for (std::string& word : words) {
    if (word == "--") return;
    if (!word.starts_with('-')) continue;
    const std::size_t end = std::min(word.find('='), word.size());
    const auto ours = our_spelling(std::string_view(word).substr(0, end));
    if (ours && has_flag(app, *ours)) word.replace(0, end, *ours);
  }
}

const CLI::Option* option_of(const CLI::App& app, const std::string& flag) {
  if (const CLI::Option* option = app.get_option_no_throw(flag)) return option;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (const CLI::Option* option = option_of(*sub, flag)) return option;
  return nullptr;
}

// CLI11 treats every word with a dash as an option, except after "=".
void join_texts_with_dashes(const CLI::App& app, std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 1 < words.size() && words[i] != "--"; ++i) {
    if (!words[i].starts_with('-') || !is_text_with_dash(words[i + 1])) continue;
    const CLI::Option* option = option_of(app, words[i]);
    if (option == nullptr || option->get_items_expected_max() == 0 || option->get_lnames().empty())
      continue;
    words[i] = fmt::format("--{}={}", option->get_lnames().front(), words[i + 1]);
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

void refuse_flags_of_others(const CLI::App& app, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (!words[i].starts_with('-')) continue;
    const std::size_t end = std::min(words[i].find('='), words[i].size());
    const std::string flag = words[i].substr(0, end);
    if (app.get_option_no_throw(flag) != nullptr) continue;
    const std::string next = end < words[i].size()  ? words[i].substr(end + 1)
                             : i + 1 < words.size() ? words[i + 1]
                                                    : "";
    if (const auto advice = advice_about_flag(flag, next)) throw UsageError(*advice);
  }
}

template <class Value>
CLI::Option& add_checked_count(CLI::App& app, const std::string& flags, Value& value,
                               std::pair<int, int> range, const std::string& help) {
  const auto fault = [range](const std::string& text) -> std::string {
    int n = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, n);
    if (error == std::errc{} && stop == end && n >= range.first && n <= range.second) return {};
    return fmt::format("must be a whole number from {} to {}, not {}", range.first, range.second,
                       text);
  };
  return *app.add_option(flags, value, help)->check(CLI::Validator(fault, ""))->type_name("N");
}

// Applies to its subcommands too, which print their own help.
void use_plain_help(CLI::App& app) {
  app.formatter(std::make_shared<PlainHelp>());
  app.get_formatter()->label("OPTIONS", "OPTION...");
  app.get_formatter()->label("Positionals", "Arguments");
  if (app.get_parent() != nullptr) app.group("Commands");
  app.get_help_ptr()->description("Show this help");
  for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    use_plain_help(*sub);
}

}  // namespace

bool is_text_with_dash(std::string_view word) {
  return word.starts_with('-') &&
         word.substr(0, word.find('=')).find_first_of(" \t\n") != std::string_view::npos;
}

bool is_value(std::string_view word) {
  return word.size() < 2 || word.front() != '-' || is_text_with_dash(word);
}

CLI::Option& add_count(CLI::App& app, const std::string& flags, int& value,
                       std::pair<int, int> range, const std::string& help) {
  return add_checked_count(app, flags, value, range, help);
}

CLI::Option& add_count(CLI::App& app, const std::string& flags, std::optional<int>& value,
                       std::pair<int, int> range, const std::string& help) {
  return add_checked_count(app, flags, value, range, help);
}

CLI::Option& add_choice(CLI::App& app, const std::string& flags, std::string& value,
                        std::vector<std::string> choices, const std::string& help) {
  const std::string type =
      fmt::format("{{{}}}", fmt::join(choices, ","));  // read by command_shape.cpp
  const auto fault = [choices = std::move(choices)](const std::string& text) -> std::string {
    if (std::ranges::find(choices, text) != choices.end()) return {};
    return fmt::format("must be {}, not {}", listed(choices), text);
  };
  return *app.add_option(flags, value, help)->check(CLI::Validator(fault, type));
}

std::string value_name(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  const std::string type = option.get_type_name();
  const std::size_t colon = std::min(type.find(":{"), type.size());
  if (colon == type.size()) return type.substr(0, type.find(':'));
  return CLI::detail::find_and_replace(type.substr(colon + 2, type.size() - colon - 3), ",", "|");
}

std::optional<PrintAndExit> run_parser(CLI::App& app, std::vector<std::string> words) {
  spell_out(app, words);
  join_texts_with_dashes(app, words);
  refuse_flags_of_others(app, words);
  use_plain_help(app);
  std::reverse(words.begin(), words.end());  // CLI11 expects reverse order
  try {
    app.parse(std::move(words));
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return PrintAndExit{CLI::detail::find_and_replace(app.help(), "\n\n\n", "\n\n")};
  } catch (const CLI::CallForAllHelp&) {
    return PrintAndExit{app.help("", CLI::AppFormatMode::All)};
  } catch (const CLI::CallForVersion&) {
    return PrintAndExit{version_text() + "\n"};
  } catch (const CLI::ParseError& error) {
    const std::string text = told(app, error);
    if (text.ends_with('?')) throw UsageError(text);
    throw UsageError(fmt::format("{}; see {} --help", text, app.get_name()));
  }
}

}  // namespace confab::app
