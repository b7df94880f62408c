// SPDX-License-Identifier: MIT
#include "app/cli/shape_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <optional>

#include "app/error.h"
#include "app/paths.h"
#include "app/whole_file.h"
#include "engine/error.h"

namespace confab::app {
namespace {

using Kind = engine::ConstraintSpec::Kind;

std::string text_of(const std::string& path) {
  const FileLimits limits{.takes_pipes = true};
  auto text = whole_file(expand_home(path), limits);
  if (!text) throw UsageError(fmt::format("{}: {}", path, read_fault(errno, limits)));
  return *std::move(text);
}

void put_between(const std::vector<std::string>& markers, engine::ConstraintSpec& shape) {
  shape.opening = markers[0];
  shape.closing = markers[1];
  if (shape.opening.empty() || shape.closing.empty())
    throw UsageError("--within: a marker is empty; give two texts, such as '<call>' '</call>'");
}

}  // namespace

void add_shape_options(CLI::App& app, ShapeWords& words) {
  app.add_option("-j,--json-schema", words.schema,
                 "Answer with JSON that is valid under this JSON Schema; '{}': any JSON")
      ->type_name("SCHEMA");
  app.add_option("--json-schema-file", words.schema_file, "The same, from a file (also -jf)")
      ->type_name("FILE");
  app.add_option("--grammar", words.grammar, "Answer as this GBNF grammar has it")
      ->type_name("GRAMMAR");
  app.add_option("--grammar-file", words.grammar_file, "The same, from a file")->type_name("FILE");
  app.add_option("--regex", words.pattern,
                 "Answer with a text that this regular expression matches")
      ->type_name("PATTERN");
  app.add_option("--within", words.markers,
                 "Only what stands between these markers has the shape, as in a tool call; the "
                 "rest is free")
      ->type_name("OPENING CLOSING")
      ->expected(2);
}

engine::ConstraintSpec shape_of(const ShapeWords& words) {
  struct Given {
    Kind kind;
    const std::string& value;
    const char* flag;
    bool is_file;
  };
  const std::array<Given, 5> sources{
      {{Kind::json_schema, words.schema, "--json-schema", false},
       {Kind::json_schema, words.schema_file, "--json-schema-file", true},
       {Kind::gbnf, words.grammar, "--grammar", false},
       {Kind::gbnf, words.grammar_file, "--grammar-file", true},
       {Kind::pattern, words.pattern, "--regex", false}}};
  const Given* given = nullptr;
  for (const Given& source : sources) {
    if (source.value.empty()) continue;
    if (given != nullptr)
      throw UsageError(fmt::format("{} and {} cannot be used together: give one of them",
                                   given->flag, source.flag));
    given = &source;
  }
  if (given == nullptr && !words.markers.empty())
    throw UsageError("--within needs a shape: add --json-schema, --grammar or --regex");
  if (given == nullptr) return {};
  engine::ConstraintSpec shape{.kind = given->kind,
                               .text = given->is_file ? text_of(given->value) : given->value};
  if (!words.markers.empty()) put_between(words.markers, shape);
  try {
    engine::check_constraint(shape);
  } catch (const engine::ModelError& fault) {
    throw UsageError(
        fmt::format("{}: {}", given->is_file ? given->value : given->flag, fault.what()));
  }
  return shape;
}

}  // namespace confab::app
