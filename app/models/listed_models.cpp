// SPDX-License-Identifier: MIT
#include "app/models/listed_models.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "app/error.h"
#include "app/toml_entries.h"
#include "app/whole_file.h"
#include "engine/hub/hub_name.h"

namespace confab::app {
namespace {

constexpr std::size_t kMostShown = 3;

[[noreturn]] void fail(const std::filesystem::path& file, int line, const std::string& what) {
  throw UserError(fmt::format("{}:{}: {}", file.string(), line, what));
}

std::uint64_t bytes_of(const TomlEntry& entry) {
  const auto* number = std::get_if<TomlNumber>(&entry.value);
  const std::string text = number != nullptr ? number->text : "";
  constexpr double kGb = 1e9, kMost = 1e4;
  // Only TOML's numbers, not everything that strtod() accepts.
  const bool is_number =
      !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
  const double gb = is_number ? std::strtod(text.c_str(), nullptr) : 0;
  return gb > 0 && gb < kMost ? static_cast<std::uint64_t>(gb * kGb) : 0;
}

// Stores an entry in the model. Returns what is wrong, or an empty string.
std::string take(const TomlEntry& entry, ListedModel& model) {
  const auto* text = std::get_if<std::string>(&entry.value);
  if (entry.key == "gb") {
    model.bytes = bytes_of(entry);
    return model.bytes == 0 ? "gb must be the size of the file in GB, such as 2.8" : "";
  }
  if (entry.key == "about" && text != nullptr) {
    model.about = *text;
    return {};
  }
  if (entry.key != "pull")
    return fmt::format("no text '{}'; a model has pull, gb, about", entry.key);
  if (text == nullptr || !engine::parse_hub_name(*text)) return "pull must be like ORG/NAME:QUANT";
  model.pull = *text;
  return {};
}

ListedModel model_of(const TomlEntry& table, const std::filesystem::path& file) {
  const auto* entries = std::get_if<std::vector<TomlEntry>>(&table.value);
  if (entries == nullptr) fail(file, table.line, fmt::format("{} must be a table", table.key));
  ListedModel model{.name = table.key, .pull = {}, .about = {}};
  for (const TomlEntry& entry : *entries)
    if (const std::string fault = take(entry, model); !fault.empty()) fail(file, entry.line, fault);
  if (model.pull.empty() || model.bytes == 0)
    fail(file, table.line, fmt::format("{} needs pull and gb", table.key));
  return model;
}

}  // namespace

std::filesystem::path own_model_list(const Paths& paths) {
  return paths.config_file.parent_path() / "suggested.toml";
}

ModelList load_model_list(const Paths& paths) {
  ModelList list{.file = own_model_list(paths)};
  auto text = whole_file(list.file);
  if (!text) {
    list.file = find_shipped("models/suggested.toml").value_or("models/suggested.toml");
    text = whole_file(list.file);
  }
  if (!text) throw UserError("models/suggested.toml is not installed: install confab again");
  const TomlDocument document = read_toml(*text);
  if (!document.fault.empty()) fail(list.file, document.fault_line, document.fault);
  for (const TomlEntry& table : document.entries) list.models.push_back(model_of(table, list.file));
  return list;
}

std::vector<ListedModel> models_that_fit(std::span<const ListedModel> models,
                                         std::uint64_t room_bytes) {
  std::vector<ListedModel> fitting;
  for (const ListedModel& model : models)
    if (model.bytes <= room_bytes && fitting.size() < kMostShown) fitting.push_back(model);
  return fitting;
}

}  // namespace confab::app
