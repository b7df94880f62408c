// SPDX-License-Identifier: MIT
#include "app/stores/flat_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/stores/folder_walk.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

struct Repository {
  std::string prefix;  // "ORG_REPO_"
  std::string name;    // "ORG/REPO"
};

// Those that manifests name, the longest prefixes first.
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

}  // namespace confab::app
