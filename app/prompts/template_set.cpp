// SPDX-License-Identifier: MIT
#include "app/prompts/template_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/prompts/builtin_templates.h"
#include "app/prompts/prompt_class.h"
#include "app/whole_file.h"
#include "ui/words.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

// tests/app/cli/template_command_test.cpp holds that no command is missing.
constexpr std::string_view kOfShell =
    "batch bench cache config debug delete devices engines export fit help import list models pin "
    "pull "
    "quantize rename rm search templates unpin";
constexpr std::string_view kOfRoute = "auto off rules";
constexpr std::string_view kOfChat =
    "branch branches bye clear compact compress context continue copy detach dump edit exit file "
    "find "
    "forget fork glob history load manual model new nothink overflow pop push quit read regen "
    "regenerate resume retry route save sessions set show stack stats system theme think tokens "
    "undo upload";

bool is_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' && std::ranges::all_of(name, fits);
}

std::string fault_of_name(const std::string& name) {
  if (is_reserved(name))
    return fmt::format("{} is a word of confab's own; give the file another name", name);
  if (!is_name(name))
    return "a template is called by small letters, digits and dashes; give the file such a name";
  return {};
}

}  // namespace

bool is_reserved(std::string_view name) noexcept {
  return ui::has_word(kOfShell, name) || ui::has_word(kOfRoute, name) ||
         ui::has_word(kOfChat, name);
}

TemplateSet TemplateSet::load(const fs::path& folder) {
  TemplateSet set;
  for (const BuiltinTemplate& one : builtin_templates())
    set.templates_.push_back(read_template(std::string(one.name), std::string(one.source)).read);
  std::vector<fs::path> files;
  std::error_code error;
  if (!folder.empty())
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) set.add_file(file);
  std::ranges::sort(set.templates_, {}, &PromptTemplate::name);
  return set;
}

void TemplateSet::add_file(const fs::path& file) {
  const std::string name = file.stem().string();
  const auto tell = [&](const std::string& line) { faults_.push_back({name, line}); };
  if (const std::string fault = fault_of_name(name); !fault.empty())
    return tell(fmt::format("{}: {}", file.string(), fault));
  const auto source = whole_file(file);
  if (!source) return tell(fmt::format("{}: cannot be read", file.string()));
  ReadTemplate read = read_template(name, *source, file);
  for (const std::string& fault : read.faults) tell(fault);
  if (!read.faults.empty()) return;
  const auto there = std::ranges::find(templates_, name, &PromptTemplate::name);
  if (there == templates_.end())
    templates_.push_back(std::move(read.read));
  else
    *there = std::move(read.read);
}

const PromptTemplate* TemplateSet::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(templates_, name, &PromptTemplate::name);
  return found == templates_.end() ? nullptr : &*found;
}

const PromptTemplate* TemplateSet::find_command(std::string_view name) const noexcept {
  return find_class(name) ? nullptr : find(name);
}

std::vector<const PromptTemplate*> TemplateSet::commands() const {
  std::vector<const PromptTemplate*> found;
  for (const PromptTemplate& one : templates_)
    if (!find_class(one.name)) found.push_back(&one);
  return found;
}

std::vector<std::string> TemplateSet::faults() const {
  std::vector<std::string> lines;
  for (const Fault& fault : faults_) lines.push_back(fault.line);
  return lines;
}

std::string TemplateSet::fault_of(std::string_view name) const {
  const auto found = std::ranges::find(faults_, name, &Fault::name);
  return found == faults_.end() ? "" : found->line;
}

}  // namespace confab::app
