// SPDX-License-Identifier: MIT
#include "app/stores/desktop_apps.h"

#include <string>
#include <string_view>

#include "app/stores/folder_walk.h"
#include "app/stores/model_folder.h"
#include "base/json.h"
#include "ui/words.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr int kDepth = 4;  // identifiers contain slashes

fs::path data_folder(const Places& places) {
  if (const auto folder = places.named_by("JAN_DATA_FOLDER")) return *folder;
  const fs::path jan = places.application_data() / "Jan";
  const auto settings = base::Json::try_parse(small_text(jan / "settings.json"));
  const std::string folder = settings ? settings->text_at("data_folder") : std::string();
  if (!folder.empty()) return places.expanded(folder);
  return jan / "data";
}

// The value of an unindented line "KEY: VALUE", without quotes; empty if there is none.
std::string yaml_value(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(key) || line.substr(key.size(), 1) != ":") continue;
    line = ui::trimmed(line.substr(key.size() + 1), " \t\r");
    const bool is_quoted = line.size() > 1 && (line.front() == '"' || line.front() == '\'') &&
                           line.back() == line.front();
    return std::string(is_quoted ? line.substr(1, line.size() - 2) : line);
  }
  return {};
}

void add_described(const fs::path& data, const fs::path& models, const fs::path& description,
                   std::vector<StoreFile>& files) {
  const std::string text = small_text(description);
  const std::string name = description.parent_path().lexically_relative(models).string();
  const auto add = [&](std::string_view key, StoreFileKind kind, std::string_view what) {
    const std::string path = yaml_value(text, key);
    if (path.empty()) return;
    files.push_back({.store = Store::jan,
                     .name = name + std::string(what),
                     .path = (data / path).lexically_normal(),
                     .kind = kind,
                     .group = description.parent_path().string()});
  };
  add("model_path", StoreFileKind::model, "");
  add("mmproj_path", StoreFileKind::projector, " projector");
}

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

std::vector<StoreFile> jan_files(const Places& places) {
  std::vector<StoreFile> files;
  const fs::path data = data_folder(places);
  for (const char* folder : {"llamacpp/models", "models"}) {
    const fs::path models = data / folder;
    const std::vector<fs::path> all = files_in(models, kDepth);
    for (const fs::path& file : all)
      if (file.filename() == "model.yml") add_described(data, models, file, files);
    for (const fs::path& file : all)
      if (is_gguf(file))
        files.push_back({.store = Store::jan,
                         .name = file.lexically_relative(models).string(),
                         .path = file,
                         .kind = kind_of(file.filename().string()),
                         .group = file.parent_path().string()});
  }
  return files;
}

namespace fs = std::filesystem;

std::vector<StoreFile> gpt4all_files(const Places& places) {
  std::vector<StoreFile> files;
  for (const fs::path& folder :
       {places.application_data() / "nomic.ai/GPT4All", places.home / ".cache/gpt4all"})
    for (const fs::path& file : gguf_files_in(folder, 0)) {
      std::string name = file.filename().string();
      if (name.starts_with("incomplete-")) continue;
      const StoreFileKind kind = kind_of(name);
      files.push_back(
          {.store = Store::gpt4all, .name = std::move(name), .path = file, .kind = kind});
    }
  return files;
}

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
