// SPDX-License-Identifier: MIT
#include "app/prompts/template_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "app/error.h"
#include "ui/words.h"

namespace confab::app {
namespace {

using Kind = engine::ConstraintSpec::Kind;

Origin origin_of(const PromptTemplate& asked_with) {
  return asked_with.is_built_in() ? Origin::built_in_template : Origin::own_template;
}

// The name of a required argument, as help shows it.
std::string placeholder(const TemplateArgument& argument) {
  std::string name = argument.name;
  if (name.find_first_not_of("0123456789") == std::string::npos) return "WORD" + name;
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

[[noreturn]] void refuse(const PromptTemplate& asked_with, const std::string& command,
                         const std::string& fault) {
  throw UsageError(fmt::format("{}; it is called as {}", fault, usage_of(asked_with, command)));
}

// "temperature 0.3".
std::string said(const TemplateSetting& setting) {
  return fmt::format("{} {}", setting.option->key, fmt::join(setting.texts, ", "));
}

// The file's values were checked when it was read.
void put(const TemplateSetting& setting, ChatOptions& options, Origin from) {
  [[maybe_unused]] const std::string fault =
      set_option(*setting.option, options, setting.texts, {from});
  assert(fault.empty());
}

void put_shape(const PromptTemplate& asked_with, AnswerOptions& options,
               std::vector<std::string>& changed) {
  if (asked_with.shape.kind == Kind::none || options.shape.kind != Kind::none) return;
  options.shape = asked_with.shape;
  changed.emplace_back(asked_with.shape.kind == Kind::json_schema ? "an answer in JSON"
                                                                  : "an answer of its shape");
}

// Does nothing if an incompatible option has been set.
void put_expectation(const PromptTemplate& asked_with, ChatOptions& options,
                     std::vector<std::string>& changed) {
  OnceOptions& once = options.once;
  const bool is_free = !once.expected.is_wanted() && once.output != OutputFormat::code &&
                       options.n_answers == 1 && options.shape.kind == Kind::none;
  if (!asked_with.expected.is_wanted() || !is_free) return;
  once.expected = asked_with.expected;
  changed.push_back("expect " + name_of(once.expected));
}

bool is_of_answer(const Option& option) {
  return option.group == OptionGroup::sampling ||
         ui::has_word("thinking reverse_prompt", option.key);
}

}  // namespace

const TemplateArgument* named_argument(const PromptTemplate& asked_with,
                                       std::string_view word) noexcept {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return nullptr;
  const auto found =
      std::ranges::find(asked_with.arguments, word.substr(0, equals), &TemplateArgument::name);
  return found == asked_with.arguments.end() ? nullptr : &*found;
}

std::string take_argument_word(std::string& text) {
  constexpr std::string_view kBlanks = " \t\n";
  std::string word;
  bool is_quoted = false;
  std::size_t at = 0;
  for (; at < text.size() && (is_quoted || kBlanks.find(text[at]) == std::string_view::npos); ++at)
    if (text[at] == '"')
      is_quoted = !is_quoted;
    else
      word += text[at];
  text.erase(0, std::min(text.find_first_not_of(kBlanks, at), text.size()));
  return word;
}

std::string usage_of(const PromptTemplate& asked_with, const std::string& command) {
  std::string text = command;
  for (const TemplateArgument& argument : asked_with.arguments)
    if (!argument.by_default) text += " " + placeholder(argument);
  for (const TemplateArgument& argument : asked_with.arguments)
    if (argument.by_default) text += fmt::format(" [{}=...]", argument.name);
  return text;
}

bool needs_arguments(const PromptTemplate& asked_with) noexcept {
  return std::ranges::any_of(asked_with.arguments,
                             [](const TemplateArgument& a) { return !a.by_default; });
}

ArgumentValues take_arguments(const PromptTemplate& asked_with, const std::string& command,
                              std::vector<std::string>& words) {
  ArgumentValues values;
  std::vector<std::string> rest;
  for (const std::string& word : words) {
    const TemplateArgument* argument = named_argument(asked_with, word);
    if (argument == nullptr) {
      rest.push_back(word);
    } else if (!values.emplace(argument->name, word.substr(argument->name.size() + 1)).second) {
      refuse(asked_with, command, fmt::format("{} is given twice", argument->name));
    }
  }
  for (const TemplateArgument& argument : asked_with.arguments) {
    if (argument.by_default || values.contains(argument.name)) continue;
    if (rest.empty())
      refuse(asked_with, command, fmt::format("{} is missing", placeholder(argument)));
    values.emplace(argument.name, rest.front());
    rest.erase(rest.begin());
  }
  words = std::move(rest);
  return values;
}

std::vector<std::string> filled(const PromptTemplate& asked_with, const ArgumentValues& values) {
  if (asked_with.instruction.empty()) return {};
  std::vector<std::string> parts(1);
  for (const TemplatePiece& piece : asked_with.instruction) {
    if (!piece.is_name) {
      parts.back() += piece.text;
    } else if (piece.text == kInput) {
      parts.emplace_back();
    } else if (const auto value = values.find(piece.text); value != values.end()) {
      parts.back() += value->second;
    } else {
      const auto argument =
          std::ranges::find(asked_with.arguments, piece.text, &TemplateArgument::name);
      parts.back() += argument->by_default.value_or("");
    }
  }
  return parts;
}

std::string instructed(const std::vector<std::string>& parts, const std::string& text) {
  if (parts.empty()) return text;
  if (parts.size() == 1) return text.empty() ? parts.front() : parts.front() + "\n\n" + text;
  return fmt::format("{}", fmt::join(parts, text));
}

std::vector<std::string> apply(const PromptTemplate& asked_with, ChatOptions& options) {
  const Origin from = origin_of(asked_with);
  std::vector<std::string> changed;
  for (const TemplateSetting& setting : asked_with.settings) {
    const Option* other =
        setting.option->instead_of.empty() ? nullptr : find_option(setting.option->instead_of);
    const bool is_set = source_of(*setting.option, options).origin > from ||
                        (other != nullptr && source_of(*other, options).origin > from);
    if (is_set) continue;
    put(setting, options, from);
    changed.push_back(said(setting));
  }
  put_shape(asked_with, options, changed);
  put_expectation(asked_with, options, changed);
  const bool has_overflow = is_of_question(options.overflow) &&
                            source_of(*find_option("overflow"), options).origin > from;
  if (asked_with.overflow && !has_overflow) options.overflow = *asked_with.overflow;
  return changed;
}

std::vector<std::string> apply(const PromptTemplate& asked_with, AnswerOptions& options) {
  const Origin from = origin_of(asked_with);
  std::vector<std::string> changed;
  ChatOptions all;
  static_cast<AnswerOptions&>(all) = options;
  for (const TemplateSetting& setting : asked_with.settings) {
    if (!is_of_answer(*setting.option)) continue;
    const bool is_parameter = setting.option->group == OptionGroup::sampling;
    const bool is_set = is_parameter ? source_of(*setting.option, all).origin > from
                        : setting.option->key == "thinking" ? options.thinking.has_value()
                                                            : !options.stop.empty();
    if (is_set) continue;
    put(setting, all, from);
    changed.push_back(said(setting));
  }
  options = all;
  put_shape(asked_with, options, changed);
  return changed;
}

std::string model_of(const PromptTemplate& asked_with) {
  const auto found = std::ranges::find_if(asked_with.settings, [](const TemplateSetting& setting) {
    return setting.option->key == "model";
  });
  return found == asked_with.settings.end() ? "" : found->texts.front();
}

}  // namespace confab::app
