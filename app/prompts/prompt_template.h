// SPDX-License-Identifier: MIT
// A prompt template: an instruction around the person's text, sampling settings, a context policy
// and a shape for the answer. It is a TOML file, either built in or the person's own;
// docs/templates.md lists the keys.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/expectation.h"
#include "app/option_table.h"
#include "app/options.h"
#include "engine/api/constraint_spec.h"

namespace confab::app {

struct TemplateArgument {
  std::string name;
  std::string help = {};
  std::optional<std::string> by_default = {};  // nullopt if it is required
};

// An option and its values.
struct TemplateSetting {
  const Option* option;
  std::vector<std::string> texts;
};

// A piece of the instruction: text, or the name of what goes there.
struct TemplatePiece {
  std::string text;
  bool is_name = false;
};
inline constexpr std::string_view kInput = "input";  // stands for the person's text

struct PromptTemplate {
  std::string name;
  std::filesystem::path file = {};  // empty if built in
  std::string source;               // the TOML
  std::string description = {};
  std::vector<TemplatePiece> instruction = {};  // empty if there is no instruction
  std::vector<TemplateArgument> arguments = {};
  std::vector<TemplateSetting> settings = {};
  std::optional<Overflow> overflow = {};
  engine::ConstraintSpec shape = {};
  Expectation expected = {};  // the form to check the answer for; excludes `shape`

  bool is_built_in() const noexcept { return file.empty(); }
  bool has_input() const noexcept;  // the instruction has a place for the person's text
};

struct ReadTemplate {
  PromptTemplate read = {};
  // "FILE:LINE: what is wrong and what to do", one per line; the template is then unusable.
  std::vector<std::string> faults = {};
};

// Parses a template's TOML. `file` is empty for a built-in one; files that the TOML names are read
// from its folder.
ReadTemplate read_template(const std::string& name, const std::string& source,
                           const std::filesystem::path& file = {});

}  // namespace confab::app
