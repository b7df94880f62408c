// SPDX-License-Identifier: MIT
// A way to ask that has a name: what is said to the model beside what the person gives, how the
// answer is sampled, how much context it may use, and the shape that it must have. A file of TOML,
// built in or of the person's own; docs/templates.md has its keys.
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
  std::optional<std::string> by_default = {};  // none: it has to be given
};

// A row of the table of options, with texts that it takes.
struct TemplateSetting {
  const Option* option;
  std::vector<std::string> texts;
};

// A piece of the instruction: text, or the name of what stands there.
struct TemplatePiece {
  std::string text;
  bool is_name = false;
};
inline constexpr std::string_view kInput = "input";  // the name of what was asked

struct PromptTemplate {
  std::string name;
  std::filesystem::path file = {};  // empty: it is built in
  std::string source;               // the TOML
  std::string description = {};
  std::vector<TemplatePiece> instruction = {};  // empty: none
  std::vector<TemplateArgument> arguments = {};
  std::vector<TemplateSetting> settings = {};
  std::optional<Overflow> overflow = {};
  engine::ConstraintSpec shape = {};
  Expectation expected = {};  // what the answer is checked for; then there is no shape

  bool is_built_in() const noexcept { return file.empty(); }
  bool has_input() const noexcept;  // the instruction says where what was asked stands
};

struct ReadTemplate {
  PromptTemplate read = {};
  // A line each: "FILE:LINE: what is wrong and what to do"; the template is of no use then.
  std::vector<std::string> faults = {};
};

// From the text of a file, or of a built-in one where `file` is empty. Files that it names are read
// from the folder of `file`.
ReadTemplate read_template(const std::string& name, const std::string& source,
                           const std::filesystem::path& file = {});

}  // namespace confab::app
