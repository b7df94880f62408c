// SPDX-License-Identifier: MIT
#include "app/cli/command_shape.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "app/cli/option_flags.h"
#include "app/models/template_choice.h"
#include "app/option_table.h"
#include "app/prompts/router.h"
#include "engine/cache/cache_type.h"
#include "engine/gguf/file_type.h"

namespace confab::app {
namespace {

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return parts;
}

std::vector<std::string> option_keys() {
  std::vector<std::string> keys;
  for (const Option& option : option_table()) keys.emplace_back(option.key);
  return keys;
}

// Derives the kind of a value from its name in the help.
ValueShape named_value(const std::string& name) {
  constexpr auto kKinds = std::to_array<std::pair<std::string_view, ValueKind>>({
      {"FILE", ValueKind::file},
      {"MODEL", ValueKind::model},
      {"THEME", ValueKind::theme},
      {"NAME|ID", ValueKind::conversation},
      {"ID|NAME", ValueKind::conversation},
  });
  for (const auto& [known, kind] : kKinds)
    if (name == known) return {kind, name};
  if (name == "KV_TYPE") return {ValueKind::choice, name, split(engine::cache_type_names(), ", ")};
  if (name == "NAME|TEXT") return {ValueKind::choice, name, template_names()};
  if (name == "FORM") return {ValueKind::choice, name, {"list", "code", "table", "json"}};
  if (name == "NAME|auto|rules|off")
    return {ValueKind::choice, name, route_names(TemplateSet::load())};
  if (name == "KEY") return {ValueKind::choice, name, option_keys()};
  if (name == "TYPE") return {ValueKind::choice, name, split(engine::file_type_names(), ", ")};
  return {ValueKind::text, name};
}

// The type name is "NAME", "NAME:{one,other}" or "NAME:LIMITS".
ValueShape value_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t colon = std::min(type.find(':'), type.size());
  const std::string name = type.substr(0, colon);
  const std::string_view check = std::string_view(type).substr(std::min(colon + 1, type.size()));
  if (check.starts_with('{') && check.ends_with('}'))
    return {ValueKind::choice, name, split(check.substr(1, check.size() - 2), ",")};
  if (!option.get_positional()) return named_value(name);
  ValueShape value = named_value(option.get_name());
  if (value.kind == ValueKind::text) value.kind = named_value(name).kind;
  return value;
}

OptionShape shape_of(const CLI::Option& option) {
  OptionShape shape{.names = {}, .help = option.get_description()};
  for (const std::string& name : shown_names(option)) {
    shape.names.push_back(name);
    for (std::string& other : other_spellings(name)) shape.names.push_back(std::move(other));
  }
  if (option.get_items_expected_max() > 0) shape.value = value_of(option);
  return shape;
}

}  // namespace

std::string_view name_of(ValueKind kind) noexcept {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"none", "text", "choice", "file", "model", "theme", "conversation", "template"});
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_under(const CommandShape& sub, const CommandShape& command) noexcept {
  const std::size_t space = sub.words.rfind(' ');
  const std::size_t n = space == std::string::npos ? 0 : space;
  return !sub.words.empty() && std::string_view(sub.words).substr(0, n) == command.words;
}

void append_shapes(const CLI::App& app, const std::string& words,
                   std::vector<CommandShape>& shapes) {
  CommandShape shape{.words = words, .about = app.get_description()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->get_positional()) {
      shape.values.push_back(value_of(*option));
      shape.last_repeats = option->get_items_expected_max() > 1;
    } else {
      shape.options.push_back(shape_of(*option));
    }
  }
  shapes.push_back(std::move(shape));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    append_shapes(*sub, words.empty() ? sub->get_name() : words + " " + sub->get_name(), shapes);
}

}  // namespace confab::app
