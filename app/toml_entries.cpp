// SPDX-License-Identifier: MIT
#include "app/toml_entries.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

namespace confab::app {
namespace {

using Texts = std::vector<std::string>;

std::vector<TomlEntry> entries_of(const toml::table& table);

TomlValue value_of(const toml::array& list) {
  Texts texts;
  for (const toml::node& entry : list) {
    const auto text = entry.value_exact<std::string>();
    if (!text) return TomlOther{};
    texts.push_back(*text);
  }
  return texts;
}

TomlValue value_of(const toml::node& node) {
  if (const auto* table = node.as_table()) return entries_of(*table);
  if (const auto* list = node.as_array()) return value_of(*list);
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  if (const auto* real = node.as_floating_point())
    return TomlNumber{fmt::format("{:#}", real->get())};
  if (const auto* whole = node.as_integer()) return TomlNumber{fmt::format("{}", whole->get())};
  return TomlOther{};
}

std::vector<TomlEntry> entries_of(const toml::table& table) {
  std::vector<TomlEntry> entries;
  for (const auto& [key, node] : table)
    entries.push_back({std::string(key.str()), static_cast<int>(key.source().begin.line),
                       static_cast<int>(node.source().begin.line), value_of(node)});
  std::ranges::sort(entries, {}, &TomlEntry::line);
  return entries;
}

std::optional<Texts> strings_in(const TomlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return Texts{*text};
  if (const auto* texts = std::get_if<Texts>(&value)) return *texts;
  return std::nullopt;
}

}  // namespace

TomlDocument read_toml(std::string_view text) {
  try {
    return {.entries = entries_of(toml::parse(text))};
  } catch (const toml::parse_error& fault) {
    return {.fault = std::string(fault.description()),
            .fault_line = static_cast<int>(fault.source().begin.line)};
  }
}

std::optional<Texts> texts_of(const TomlValue& value, const OptionValue& option) {
  switch (notation_of(option)) {
    case Notation::truth:
      if (const auto* truth = std::get_if<bool>(&value)) return Texts{*truth ? "true" : "false"};
      if (choices_of(option).empty() || !std::holds_alternative<std::string>(value))
        return std::nullopt;
      return strings_in(value);
    case Notation::number:
      if (const auto* number = std::get_if<TomlNumber>(&value)) return Texts{number->text};
      if (choices_of(option).empty() || !std::holds_alternative<std::string>(value))
        return std::nullopt;
      return strings_in(value);
    case Notation::text:
      if (!std::holds_alternative<std::string>(value)) return std::nullopt;
      return strings_in(value);
    case Notation::texts:
      return strings_in(value);
  }
  return std::nullopt;
}

}  // namespace confab::app
