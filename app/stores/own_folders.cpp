// SPDX-License-Identifier: MIT
#include "app/stores/own_folders.h"

#include <algorithm>
#include <string>

#include "app/stores/folder_walk.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr int kDepth = 3;

void add_folder(const fs::path& folder, int depth, std::vector<StoreFile>& files) {
  for (const fs::path& file : gguf_files_in(folder, depth)) {
    const bool is_below = file.parent_path() != folder;
    files.push_back({.store = Store::own_folder,
                     .name = file.lexically_relative(folder).string(),
                     .path = file,
                     .kind = kind_of(file.filename().string()),
                     .group = is_below ? file.parent_path().string() : ""});
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
  const fs::path folder = model.parent_path();
  add_folder(folder.empty() ? fs::path(".") : folder, 0, files);
  return files;
}

}  // namespace confab::app
