// SPDX-License-Identifier: MIT
#include "app/stores/own_folders.h"

#include <algorithm>
#include <string>

#include "app/stores/folder_walk.h"
#include "app/stores/hub.h"
#include "app/stores/model_folder.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr int kDepth = 3;

// Of a folder that is a model.
std::string name_of(const fs::path& folder) {
  const std::string repository = repository_of(folder);
  return repository.empty() ? folder.filename().string() : repository;
}

void add_folder(fs::path folder, int depth, std::vector<StoreFile>& files) {
  if (folder.filename().empty()) folder = folder.parent_path();
  for (const fs::path& model : models_in(folder, depth)) {
    const fs::path group = is_gguf(model) ? model.parent_path() : model;
    files.push_back(
        {.store = Store::own_folder,
         .name = model == folder ? name_of(folder) : model.lexically_relative(folder).string(),
         .path = model,
         .kind = kind_of(model.filename().string()),
         .group = group != folder ? group.string() : ""});
  }
}

void add_bundled(const fs::path& folder, std::vector<StoreFile>& files) {
  for (const fs::path& file : gguf_files_in(folder, 0)) {
    const std::string name = file.filename().string();
    files.push_back(
        {.store = Store::bundled,
         .name = name,
         .path = file,
         .kind = name == "confab-draft.gguf" ? StoreFileKind::draft : StoreFileKind::model,
         .group = folder.string()});
  }
}

}  // namespace

std::vector<StoreFile> own_files(const Places& places) {
  std::vector<StoreFile> files;
  if (!places.bundled.empty()) add_bundled(places.bundled, files);
  const std::string named = places.variable("CONFAB_MODEL_FOLDERS").value_or("");
  for (std::size_t at = 0; at < named.size();) {
    const std::size_t end = std::min(named.find(':', at), named.size());
    if (end > at) add_folder(places.expanded(named.substr(at, end - at)), kDepth, files);
    at = end + 1;
  }
  add_folder(places.data() / "confab/models", kDepth, files);
  return files;
}

std::vector<StoreFile> files_beside(const fs::path& model) {
  std::vector<StoreFile> files;
  if (model.empty()) return files;
  std::error_code error;
  const fs::path folder = fs::is_directory(model, error) ? model : model.parent_path();
  add_folder(folder.empty() ? fs::path(".") : folder, 0, files);
  return files;
}

}  // namespace confab::app
