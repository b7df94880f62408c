// SPDX-License-Identifier: MIT
// All templates that there are: the built-in ones, and the files of a folder, which replace those
// of the same name.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/prompts/prompt_template.h"

namespace confab::app {

// The templates that confab has: one for each class of prompts, which change little, and those that
// are commands.
struct BuiltinTemplate {
  std::string_view name;
  std::string_view source;  // TOML, as a file of one's own has it
};

std::span<const BuiltinTemplate> builtin_templates() noexcept;

class TemplateSet {
 public:
  // The built-in ones and those of `folder`, where there is such a folder. A file that is wrong is
  // left out and told of; what is built in under its name stays.
  static TemplateSet load(const std::filesystem::path& folder = {});

  std::span<const PromptTemplate> all() const noexcept { return templates_; }  // by name
  const PromptTemplate* find(std::string_view name) const noexcept;  // nullptr: there is none
  // Those that are commands of the shell and of the chat: all but the classes.
  std::vector<const PromptTemplate*> commands() const;
  const PromptTemplate* find_command(std::string_view name) const noexcept;

  // A line each, of all files.
  std::vector<std::string> faults() const;
  // The first of the file of this name; empty: none.
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

// Whether it is a command of the shell or of the chat, or a word of --route: no template may be
// called so.
bool is_reserved(std::string_view name) noexcept;

}  // namespace confab::app
