// SPDX-License-Identifier: MIT
#include "app/cli/template_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/error.h"
#include "app/nearest.h"
#include "app/option_table.h"
#include "app/paths.h"
#include "app/prompts/prompt_class.h"
#include "app/prompts/template_call.h"
#include "app/prompts/template_set.h"
#include "ui/text.h"
#include "ui/words.h"

namespace confab::app {
namespace {

TemplateSet all_templates() {
  return TemplateSet::load(Paths::from_environment().templates);
}

bool is_text(const std::string& word) {
  std::error_code error;
  return word.find_first_of(" \n") != std::string::npos &&
         !std::filesystem::exists(expand_home(word), error);
}

// Takes text that was given on the command line instead of through a pipe or a file.
void take_text(std::vector<std::string>& words, std::optional<std::string>& prompt) {
  const auto text = std::ranges::find_if(words, is_text);
  if (text == words.end()) return;
  if (prompt && !prompt->empty())
    throw UsageError("the text is there twice: give it once, in quotes or behind -p");
  prompt = *text;
  words.erase(text);
}

std::string line_of(const PromptTemplate& one) {
  std::string line =
      fmt::format("  {:<24}{}", usage_of(one, one.name), ui::one_line(one.description));
  if (!one.is_built_in()) line += fmt::format(" ({})", shorten_home(one.file.string()));
  return line + "\n";
}

}  // namespace

std::optional<PromptTemplate> called_template(std::string_view word) {
  if (word.empty() || word.front() == '-') return std::nullopt;
  const TemplateSet templates = all_templates();
  if (const std::string fault = templates.fault_of(word); !fault.empty()) throw UsageError(fault);
  const PromptTemplate* found = templates.find_command(word);
  if (found == nullptr) return std::nullopt;
  return *found;
}

std::string about_template(const PromptTemplate& called) {
  const std::string command = fmt::format("confab {}", called.name);
  std::string text = fmt::format("{}\n\nCall it as: {} [TEXT] [FILE]...\n", called.description,
                                 usage_of(called, command));
  for (const TemplateArgument& argument : called.arguments)
    text +=
        fmt::format("  {}: {}{}\n", argument.name, argument.help,
                    argument.by_default ? fmt::format(" (default: {})", *argument.by_default) : "");
  return text + fmt::format(
                    "\nFiles, folders and standard input are attached. The template: confab "
                    "templates {}\nThe options are those of confab -p:\n",
                    called.name);
}

void finish_template_command(const PromptTemplate& called, ChatOptions& options) {
  if (options.decision.is_wanted())
    throw UsageError(fmt::format(
        "confab {} cannot be used with --yes-no or --choose: give them a question with -p",
        called.name));
  options.template_arguments =
      take_arguments(called, fmt::format("confab {}", called.name), options.files);
  take_text(options.files, options.prompt);
  if (!options.prompt) options.prompt = "";
  options.route = called.name;
  options.sources.insert_or_assign("route", Source{Origin::command_line});
}

// Only the options likely to be used with a template: the script repeats them for each template.
void append_template_shapes(const CommandShape& chat, std::vector<CommandShape>& shapes) {
  constexpr std::string_view kWanted =
      "--prompt --file --model --predict --temp --seed --ctx-size --overflow --n --json "
      "--stream-json --extract --quiet --stats --no-stdin --keep-html --help";
  CommandShape shape{.words = {}, .about = {}, .values = chat.values, .last_repeats = true};
  const auto is_wanted = [&](const std::string& name) { return ui::has_word(kWanted, name); };
  for (const OptionShape& option : chat.options)
    if (std::ranges::any_of(option.names, is_wanted)) shape.options.push_back(option);
  const TemplateSet templates = TemplateSet::load();
  for (const PromptTemplate* one : templates.commands()) {
    shape.words = one->name;
    shape.about = one->description;
    shapes.push_back(shape);
  }
}

std::vector<std::string> template_command_names() {
  std::vector<std::string> names;
  const TemplateSet templates = all_templates();
  for (const PromptTemplate* one : templates.commands()) names.push_back(one->name);
  return names;
}

std::string templates_text(const std::string& name) {
  const TemplateSet templates = all_templates();
  if (!name.empty()) {
    if (const PromptTemplate* found = templates.find(name)) return found->source;
    if (const std::string fault = templates.fault_of(name); !fault.empty()) throw UsageError(fault);
    std::vector<std::string_view> names;
    for (const PromptTemplate& one : templates.all()) names.push_back(one.name);
    const auto near = nearest(name, names);
    throw UsageError(
        fmt::format("no template '{}'; {}", name,
                    near ? fmt::format("did you mean {}?", *near) : "confab templates lists them"));
  }
  std::string text = "Commands:\n", classes;
  for (const PromptTemplate& one : templates.all())
    (find_class(one.name) ? classes : text) += line_of(one);
  text += "\nClasses of questions:\n" + classes;
  const std::vector<std::string> faults = templates.faults();
  if (!faults.empty()) text += "\nLeft out:\n";
  for (const std::string& fault : faults) text += fmt::format("  {}\n", fault);
  return text;
}

}  // namespace confab::app
