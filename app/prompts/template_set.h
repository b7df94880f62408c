// SPDX-License-Identifier: MIT
// All templates: the built-in ones and the files of a folder. A file replaces the built-in template
// of the same name.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/prompts/prompt_template.h"

namespace confab::app {

// A built-in template. There is one for each class of prompts, which changes little, and some that
// are commands.
struct BuiltinTemplate {
  std::string_view name;
  std::string_view source;  // TOML, as in the person's own files
};

std::span<const BuiltinTemplate> builtin_templates() noexcept;

class TemplateSet {
 public:
  // Loads the built-in templates and those in `folder`, if it exists. A faulty file is reported and
  // left out; the built-in template of its name stays.
  static TemplateSet load(const std::filesystem::path& folder = {});

  std::span<const PromptTemplate> all() const noexcept { return templates_; }  // sorted by name
  const PromptTemplate* find(std::string_view name) const noexcept;            // nullptr if unknown
  // The templates that are commands of the shell and the chat: all except the classes.
  std::vector<const PromptTemplate*> commands() const;
  const PromptTemplate* find_command(std::string_view name) const noexcept;

  // One line each, for all files.
  std::vector<std::string> faults() const;
  // The first fault in the file of this name, or "".
  std::string fault_of(std::string_view name) const;

 private:
  struct Fault {
    std::string name;  // of the template
    std::string line;
  };
  void add_file(const std::filesystem::path& file);

  std::vector<PromptTemplate> templates_;
  std::vector<Fault> faults_;
};

// Returns true if the name is a command of the shell or the chat, or a word of --route; no template
// may have it.
bool is_reserved(std::string_view name) noexcept;

}  // namespace confab::app
