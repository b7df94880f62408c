// SPDX-License-Identifier: MIT
#include "app/stores/model_folder.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "app/stores/folder_walk.h"
#include "app/stores/store_file.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWeights = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

// The names of the files in each folder.
using Folders = std::map<fs::path, std::set<std::string>>;

bool has_any(const std::set<std::string>& names, std::initializer_list<const char*> wanted) {
  return std::ranges::any_of(wanted, [&](const char* name) { return names.contains(name); });
}

bool writes_text(const fs::path& config) {
  const auto json = nlohmann::json::parse(small_text(config), nullptr, false);
  const auto classes = json.is_object() ? json.find("architectures") : json.end();
  if (classes == json.end() || !classes->is_array() || classes->empty() ||
      !classes->front().is_string())
    return false;
  const auto name = classes->front().get<std::string>();
  return name.ends_with("ForCausalLM") || name.ends_with("ForConditionalGeneration");
}

bool is_in_pipeline(const Folders& folders, fs::path folder) {
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    const auto found = folders.find(folder);
    if (found != folders.end() && found->second.contains("model_index.json")) return true;
  }
  return false;
}

bool is_model(const Folders& folders, const fs::path& folder, const std::set<std::string>& names) {
  const bool has_gguf = std::ranges::any_of(names, [](const std::string& name) {
    return is_gguf(name) && kind_of(name) == StoreFileKind::model;
  });
  return has_any(names, {kWeights, kIndex}) && names.contains("config.json") && !has_gguf &&
         !has_any(names, {"modules.json", "config_sentence_transformers.json"}) &&
         !is_in_pipeline(folders, folder) && writes_text(folder / "config.json");
}

}  // namespace

std::vector<fs::path> models_among(const std::vector<fs::path>& files) {
  std::vector<fs::path> models;
  Folders folders;
  for (const fs::path& file : files) {
    if (is_gguf(file)) models.push_back(file);
    folders[file.parent_path()].insert(file.filename().string());
  }
  for (const auto& [folder, names] : folders)
    if (is_model(folders, folder, names)) models.push_back(folder);
  std::ranges::sort(models);
  return models;
}

std::vector<fs::path> models_in(const fs::path& folder, int depth) {
  return models_among(files_in(folder, depth));
}

std::vector<fs::path> weight_files(const fs::path& folder) {
  constexpr std::uintmax_t kMostIndex = 64 << 20;
  std::error_code error;
  if (!fs::exists(folder / kIndex, error)) return {folder / kWeights};
  const auto index = nlohmann::json::parse(small_text(folder / kIndex, kMostIndex), nullptr, false);
  const auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (map == index.end() || !map->is_object()) return {};
  std::set<fs::path> files;
  for (const auto& [tensor, file] : map->items())
    if (file.is_string() && is_plain_name(file.get<std::string>()))
      files.insert(folder / file.get<std::string>());
  return {files.begin(), files.end()};
}

}  // namespace confab::app
