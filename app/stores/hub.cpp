// SPDX-License-Identifier: MIT
#include "app/stores/hub.h"

#include <fmt/format.h>

#include "app/stores/folder_walk.h"
#include "app/stores/model_folder.h"
#include "ui/words.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRepository = "models--";
constexpr int kDepth = 4;  // of folders in a repository

// "org/name" of "models--org--name".
std::string repository_name(const fs::path& folder) {
  std::string name = folder.filename().string().substr(kRepository.size());
  if (const std::size_t at = name.find("--"); at != std::string::npos) name.replace(at, 2, "/");
  return name;
}

// Empty: the repository has none.
std::string main_revision(const fs::path& repository) {
  const std::string text = small_text(repository / "refs/main");
  const std::string commit(ui::trimmed(text, " \t\r\n"));
  return is_plain_name(commit) ? commit : "";
}

void add_snapshot(const fs::path& snapshot, const std::string& name,
                  std::vector<StoreFile>& files) {
  std::vector<fs::path> whole = files_in(snapshot, kDepth);
  std::erase_if(whole, is_partial);
  for (const fs::path& model : models_among(whole)) {
    const std::string below = model.lexically_relative(snapshot).string();
    files.push_back({.store = Store::hugging_face,
                     .name = below == "." ? name : fmt::format("{}/{}", name, below),
                     .path = model,
                     .kind = kind_of(model.filename().string()),
                     .group = snapshot.string()});
  }
}

void add_repository(const fs::path& repository, Revisions revisions,
                    std::vector<StoreFile>& files) {
  const std::string name = repository_name(repository), main = main_revision(repository);
  const fs::path snapshots = repository / "snapshots";
  if (!main.empty()) add_snapshot(snapshots / main, name, files);
  if (revisions == Revisions::main) return;
  constexpr std::size_t kShown = 8;  // of a commit, as git shortens it
  for (const fs::path& snapshot : entries_of(snapshots)) {
    const std::string commit = snapshot.filename().string();
    if (commit != main)
      add_snapshot(snapshot, fmt::format("{}@{}", name, commit.substr(0, kShown)), files);
  }
}

}  // namespace

fs::path hub_home(const Places& places) {
  return places.named_by("HF_HOME").value_or(places.cache() / "huggingface");
}

std::vector<fs::path> hub_folders(const Places& places) {
  std::vector<fs::path> folders;
  if (const auto own = places.named_by("LLAMA_CACHE")) folders.push_back(*own);
  for (const char* variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
    if (const auto folder = places.named_by(variable)) {
      folders.push_back(*folder);
      return folders;
    }
  folders.push_back(hub_home(places) / "hub");
  return folders;
}

std::string repository_of(const fs::path& snapshot) {
  const fs::path snapshots = snapshot.parent_path(), repository = snapshots.parent_path();
  const bool is_one = snapshots.filename() == "snapshots" &&
                      repository.filename().string().starts_with(kRepository);
  return is_one ? repository_name(repository) : "";
}

std::vector<StoreFile> hub_files(const Places& places, Revisions revisions) {
  std::vector<StoreFile> files;
  for (const fs::path& hub : hub_folders(places))
    for (const fs::path& repository : entries_of(hub))
      if (repository.filename().string().starts_with(kRepository))
        add_repository(repository, revisions, files);
  return files;
}

}  // namespace confab::app
