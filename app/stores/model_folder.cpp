// SPDX-License-Identifier: MIT
#include "app/stores/model_folder.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "app/stores/folder_walk.h"
#include "app/stores/store_file.h"
#include "base/json.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr const char* kWeights = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

// The names of the files in each folder.
using Folders = std::map<fs::path, std::set<std::string>>;

bool has_any(const std::set<std::string>& names, std::initializer_list<const char*> wanted) {
  return std::ranges::any_of(wanted, [&](const char* name) { return names.contains(name); });
}

bool writes_text(const fs::path& config) {
  const auto json = Json::try_parse(small_text(config), {.lenient = true});
  const Json* classes = json ? json->find("architectures") : nullptr;
  if (classes == nullptr || classes->elements().empty()) return false;
  const std::string* first = classes->elements().front().as_text();
  if (first == nullptr) return false;
  const std::string_view name = *first;
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
  const auto index = Json::try_parse(small_text(folder / kIndex, kMostIndex));
  const Json* map = index ? index->find("weight_map") : nullptr;
  if (map == nullptr) return {};
  std::set<fs::path> files;
  for (const auto& [tensor, file] : map->members())
    if (file.is_string() && is_plain_name(*file.as_text())) files.insert(folder / *file.as_text());
  return {files.begin(), files.end()};
}

}  // namespace confab::app
