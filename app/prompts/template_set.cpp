// SPDX-License-Identifier: MIT
#include "app/prompts/template_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/prompts/prompt_class.h"
#include "app/whole_file.h"
#include "ui/words.h"

namespace confab::app {
namespace {

constexpr auto kTemplates = std::to_array<BuiltinTemplate>({
    // The classes. Their settings have the lowest priority.
    {"code", R"(description = "programs, queries, commands: written, explained, mended"
temperature = 0.3
)"},
    {"question", R"(description = "something that somebody wants to know"
)"},
    {"summary", R"(description = "a text made short"
)"},
    {"rewrite", R"(description = "a text in other words, or in another language"
)"},
    {"extraction", R"(description = "what a text has of a kind: names, dates, a table, JSON"
temperature = 0.2
)"},
    {"chat", R"(description = "a conversation, a story, advice, ideas"
)"},
    // The commands.
    {"commit-message", R"(description = "a Git commit message for a diff"
instruction = """
Write the commit message for this diff. The first line says in the imperative what the commit does, \
in at most 65 characters, without a full stop at its end. If the reason is not plain from that, an \
empty line follows and then one short paragraph that says why, in lines of at most 72 characters. \
Answer with the message alone: no quotes, no code fence, no heading.
"""
temperature = 0.3
overflow = "truncate"
)"},
    {"explain", R"(description = "what a text, a program or an error message means"
instruction = """
Explain this to {{to}}. First say in one or two sentences what it is, then what matters in it, in the \
order in which it is easiest to understand.
"""
temperature = 0.5

[arguments]
to = { help = "to whom", default = "somebody who knows the field but has not seen this before" }
)"},
    {"proofread", R"(description = "a text with its mistakes corrected"
instruction = """
Correct the spelling, grammar and punctuation of this text. Keep its language, its wording and its \
line breaks wherever they are right. Answer with the corrected text alone.
"""
temperature = 0.2
)"},
    {"review", R"(description = "a review of code or of a diff: its faults, the worst first"
instruction = """
Review this. Look for {{focus}}. List what you find, the most serious first; for each name the file \
and the line or function, what goes wrong, and how to mend it. Say so if there is nothing to find, \
and leave out praise and matters of taste.
"""
temperature = 0.3

[arguments]
focus = { help = "what to look for", default = "wrong results, crashes, leaks, races, security holes and misleading names" }
)"},
    {"summarize", R"(description = "a short summary of a text"
instruction = """
Summarize this in {{length}}, in the language in which it is written. Keep names, numbers and \
decisions. Answer with the summary alone.
"""
temperature = 0.4
overflow = "split"

[arguments]
length = { help = "how long", default = "three to five sentences" }
)"},
    {"translate", R"(description = "a text in another language"
instruction = """
Translate this into {{to}}. Keep its tone, its line breaks and its markup. Answer with the \
translation alone.
"""
temperature = 0.3

[arguments]
to = { help = "the language" }
)"},
});

namespace fs = std::filesystem;

// tests/app/cli/template_command_test.cpp checks that no command is missing.
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

std::span<const BuiltinTemplate> builtin_templates() noexcept {
  return kTemplates;
}

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
