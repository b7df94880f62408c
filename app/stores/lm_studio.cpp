// SPDX-License-Identifier: MIT
#include "app/stores/lm_studio.h"

#include "app/stores/folder_walk.h"
#include "app/stores/model_folder.h"
#include "base/json.h"
#include "ui/words.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> homes(const Places& places) {
  const std::string text = small_text(places.home / ".lmstudio-home-pointer");
  const std::string pointer(ui::trimmed(text, " \t\r\n"));
  if (!pointer.empty()) return {places.expanded(pointer)};
  return {places.home / ".lmstudio", places.home / ".cache/lm-studio"};
}

fs::path folder_of_models(const Places& places, const fs::path& home) {
  const auto settings = base::Json::try_parse(small_text(home / "settings.json"));
  const std::string folder = settings ? settings->text_at("downloadsFolder") : std::string();
  if (!folder.empty()) return places.expanded(folder);
  return home / "models";
}

}  // namespace

std::vector<StoreFile> lm_studio_files(const Places& places) {
  std::vector<StoreFile> files;
  for (const fs::path& home : homes(places)) {
    const fs::path folder = folder_of_models(places, home);
    for (const fs::path& model : models_in(folder, 2))
      files.push_back({.store = Store::lm_studio,
                       .name = model.lexically_relative(folder).string(),
                       .path = model,
                       .kind = kind_of(model.filename().string()),
                       .group = (is_gguf(model) ? model.parent_path() : model).string()});
  }
  return files;
}

}  // namespace confab::app
