// SPDX-License-Identifier: MIT
#include "app/models/model_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "app/error.h"
#include "app/paths.h"
#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/run/model_facts.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxModels = 1000;
constexpr int kMaxEntries = 20000;  // looked at below one folder
constexpr std::uintmax_t kMaxManifest = 1 << 20;

std::optional<fs::path> from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value);
}

fs::path home() {
  return from_environment("HOME").value_or(fs::path());
}

bool is_model_file(const fs::path& path) {
  const std::string name = path.filename().string();
  if (path.extension() != ".gguf" || name.find("mmproj") != std::string::npos) return false;
  // "-00002-of-00003": https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
  const std::size_t of = name.rfind("-of-");
  const bool is_shard = of != std::string::npos && of >= 6 && name[of - 6] == '-';
  return !is_shard || name.substr(of - 5, 5) == "00001";
}

class Finder {
 public:
  void add(std::string name, const fs::path& path) {
    std::error_code error;
    const std::uint64_t bytes = fs::file_size(path, error);
    const fs::path real = error ? path : fs::canonical(path, error);
    if (error || models_.size() == kMaxModels || !seen_.insert(real.string()).second) return;
    models_.push_back({std::move(name), path, bytes});
  }

  // Models in a folder, and `depth` folders below it, under the names that name_of gives.
  template <class F>
  void add_folder(const fs::path& folder, int depth, F name_of) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                           error);
    int n_left = kMaxEntries;
    for (; !error && entry != fs::recursive_directory_iterator() && n_left > 0; --n_left) {
      if (entry.depth() >= depth) entry.disable_recursion_pending();
      const fs::path path = entry->path();
      if (is_model_file(path)) add(name_of(path), path);
      entry.increment(error);
    }
  }

  void add_files(const fs::path& folder) {
    add_folder(folder, 0, [](const fs::path& path) { return path.filename().string(); });
  }

  // models--ORG--NAME/snapshots/REVISION/FILE (huggingface.co/docs/huggingface_hub, "cache").
  void add_hub(const fs::path& hub) {
    std::error_code error;
    for (const auto& repository : fs::directory_iterator(hub, error)) {
      std::string name = repository.path().filename().string();
      if (!name.starts_with("models--")) continue;
      name.erase(0, 8);
      if (const std::size_t at = name.find("--"); at != std::string::npos) name.replace(at, 2, "/");
      add_folder(repository.path() / "snapshots", 2, [&name](const fs::path& path) {
        return fmt::format("{}/{}", name, path.filename().string());
      });
    }
  }

  // manifests/registry.ollama.ai/library/NAME/TAG names a blob by its digest.
  void add_ollama(const fs::path& root) {
    std::error_code error;
    const fs::path library = root / "manifests/registry.ollama.ai/library";
    for (const auto& name : fs::directory_iterator(library, error))
      for (const auto& tag : fs::directory_iterator(name.path(), error))
        if (const auto digest = model_digest(tag.path()))
          add(fmt::format("{}:{}", name.path().filename().string(), tag.path().filename().string()),
              root / "blobs" / *digest);
  }

  std::vector<FoundModel> take() {
    std::ranges::sort(models_, {}, &FoundModel::name);
    return std::move(models_);
  }

 private:
  static std::optional<std::string> model_digest(const fs::path& manifest) {
    std::error_code error;
    if (!fs::is_regular_file(manifest, error) || fs::file_size(manifest, error) > kMaxManifest)
      return std::nullopt;
    std::ifstream in(manifest);
    const auto root = nlohmann::json::parse(in, nullptr, false);
    if (!root.is_object() || !root.contains("layers") || !root["layers"].is_array())
      return std::nullopt;
    for (const auto& layer : root["layers"]) {
      if (!layer.is_object()) continue;
      const auto text = [&layer](const char* key) {
        const auto found = layer.find(key);
        return found != layer.end() && found->is_string() ? found->get<std::string>() : "";
      };
      std::string digest = text("digest");
      if (text("mediaType") != "application/vnd.ollama.image.model" ||
          digest.find('/') != std::string::npos)
        continue;
      std::ranges::replace(digest, ':', '-');
      return digest;
    }
    return std::nullopt;
  }

  std::vector<FoundModel> models_;
  std::set<std::string> seen_;
};

fs::path cache_home() {
  return from_environment("XDG_CACHE_HOME").value_or(home() / ".cache");
}

std::vector<fs::path> hub_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"LLAMA_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
    if (const auto folder = from_environment(variable)) folders.push_back(*folder);
  if (const auto folder = from_environment("HF_HOME")) folders.push_back(*folder / "hub");
  folders.push_back(cache_home() / "huggingface/hub");
  return folders;
}

}  // namespace

std::vector<FoundModel> find_models(const fs::path& current) {
  Finder finder;
  if (!current.empty()) finder.add_files(current.parent_path());
  if (const auto demo = find_shipped("models")) finder.add_files(*demo);
  finder.add_files(from_environment("XDG_DATA_HOME").value_or(home() / ".local/share") /
                   "confab/models");
  for (const fs::path& hub : hub_folders()) finder.add_hub(hub);
  finder.add_files(from_environment("LLAMA_CACHE").value_or(cache_home() / "llama.cpp"));
  if (const auto folder = from_environment("OLLAMA_MODELS")) finder.add_ollama(*folder);
  finder.add_ollama(home() / ".ollama/models");
  finder.add_ollama("/usr/share/ollama/.ollama/models");
  for (const char* folder : {".lmstudio/models", ".cache/lm-studio/models"})
    finder.add_folder(home() / folder, 2, [](const fs::path& path) {
      return (path.parent_path().parent_path().filename() / path.parent_path().filename() /
              path.filename())
          .string();
    });
  return finder.take();
}

std::optional<std::string> file_of_model_called(const std::string& name,
                                                const std::vector<FoundModel>& models) {
  constexpr std::ptrdiff_t kMostOpened = 100;
  const auto is_called_so = [&name](const FoundModel& model) {
    try {
      return engine::model_name(engine::Gguf(model.path.string())) == name;
    } catch (const engine::ModelError&) {  // one that is damaged is not looked for
      return false;
    }
  };
  const auto end = models.begin() + std::min(std::ssize(models), kMostOpened);
  const auto found = std::find_if(models.begin(), end, is_called_so);
  return found == end ? std::nullopt : std::optional(found->path.string());
}

std::string path_of_model(const std::string& name, const std::vector<FoundModel>& models) {
  std::error_code error;
  if (std::string file = expand_home(name); fs::is_regular_file(file, error)) return file;
  std::vector<const FoundModel*> found;
  for (const FoundModel& model : models) {
    if (model.name == name) return model.path.string();
    if (model.name.find(name) != std::string::npos) found.push_back(&model);
  }
  if (found.size() == 1) return found.front()->path.string();
  if (found.empty()) throw no_model(name);
  std::string names;
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < found.size() && i < kShown; ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", found[i]->name);
  throw NoModelError(fmt::format("'{}' matches {} models: {}{}", name, found.size(), names,
                                 found.size() > kShown ? ", ..." : ""));
}

NoModelError no_model(const std::string& name) {
  return NoModelError(
      fmt::format("no model '{}': give a GGUF file, or a name that confab models lists", name));
}

}  // namespace confab::app
