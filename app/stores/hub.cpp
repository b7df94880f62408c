// SPDX-License-Identifier: MIT
#include "app/stores/hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/stores/folder_walk.h"
#include "app/stores/model_folder.h"
#include "ui/words.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

struct Repository {
  std::string prefix;  // "ORG_REPO_"
  std::string name;    // "ORG/REPO"
};

// The repositories that manifests name, longest prefix first.
std::vector<Repository> repositories(const std::vector<fs::path>& files) {
  constexpr std::string_view kBegin = "manifest=";
  std::vector<Repository> found;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    if (!name.starts_with(kBegin) || file.extension() != ".json") continue;
    const std::size_t repo = name.find('=', kBegin.size());
    const std::size_t tag = repo == std::string::npos ? repo : name.find('=', repo + 1);
    if (tag == std::string::npos) continue;
    const std::string of = name.substr(kBegin.size(), repo - kBegin.size());
    const std::string is = name.substr(repo + 1, tag - repo - 1);
    found.push_back({fmt::format("{}_{}_", of, is), fmt::format("{}/{}", of, is)});
  }
  std::ranges::stable_sort(found, std::ranges::greater(),
                           [](const Repository& one) { return one.prefix.size(); });
  return found;
}

constexpr std::string_view kRepository = "models--";
constexpr int kDepth = 4;  // levels of folders in a repository

// "org/name" of "models--org--name".
std::string repository_name(const fs::path& folder) {
  std::string name = folder.filename().string().substr(kRepository.size());
  if (const std::size_t at = name.find("--"); at != std::string::npos) name.replace(at, 2, "/");
  return name;
}

// Empty if the repository has no main revision.
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
  constexpr std::size_t kShown = 8;  // digits of a commit, as git abbreviates it
  for (const fs::path& snapshot : entries_of(snapshots)) {
    const std::string commit = snapshot.filename().string();
    if (commit != main)
      add_snapshot(snapshot, fmt::format("{}@{}", name, commit.substr(0, kShown)), files);
  }
}

}  // namespace

std::vector<StoreFile> flat_cache_files(const Places& places) {
  const fs::path by_default =
      places.is_macos ? places.home / "Library/Caches/llama.cpp" : places.cache() / "llama.cpp";
  const std::vector<fs::path> all =
      files_in(places.named_by("LLAMA_CACHE").value_or(by_default), 0);
  const std::vector<Repository> known = repositories(all);
  std::vector<StoreFile> files;
  for (const fs::path& file : all) {
    if (!is_gguf(file)) continue;
    StoreFile found{.store = Store::llama_cpp, .name = file.filename().string(), .path = file};
    const auto of_it = std::ranges::find_if(
        known, [&](const Repository& one) { return found.name.starts_with(one.prefix); });
    std::string file_name = found.name;
    if (of_it != known.end()) {
      file_name.erase(0, of_it->prefix.size());
      found.name = fmt::format("{}/{}", of_it->name, file_name);
      found.group = of_it->name;
    }
    found.kind = kind_of(file_name);
    files.push_back(std::move(found));
  }
  return files;
}

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
