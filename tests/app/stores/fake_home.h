// SPDX-License-Identifier: MIT
// A home directory with the stores of other programs in it, and an environment of its own.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"
#include "tests/temp_dir.h"

namespace confab::app {

inline constexpr const char* kCommit = "0123456789abcdef0123456789abcdef01234567";
inline constexpr const char* kOldCommit = "fedcba9876543210fedcba9876543210fedcba98";

class FakeHome : public TempDir {
 public:
  // The test's own: places() asks it.
  std::map<std::string, std::string> variables = {};

  Places places(bool is_macos = false) const {
    return {.home = path() / "home",
            .variable = [this](const char* name) -> std::optional<std::string> {
              const auto found = variables.find(name);
              return found == variables.end() ? std::nullopt : std::optional(found->second);
            },
            .is_macos = is_macos,
            .root = path() / "root",
            .bundled = {}};
  }
  // A file below the home directory whose text is its name, so that no two are alike.
  std::string model(const std::string& name) const { return file("home/" + name, "GGUF" + name); }
  std::string text(const std::string& name, const std::string& content) const {
    return file("home/" + name, content);
  }
  std::filesystem::path at(const std::string& name) const { return path() / "home" / name; }
  void link(const std::string& target, const std::string& name) const {
    std::filesystem::create_directories(at(name).parent_path());
    std::filesystem::create_symlink(target, at(name));
  }
  // A folder with a model in a safetensors file, and what such a model is shipped with. of: its
  // class.
  void safetensors(const std::string& folder, const std::string& of = "LlamaForCausalLM") const {
    text(folder + "/config.json", R"({"architectures": [")" + of + "\"]}");
    text(folder + "/tokenizer.json", "{}");
    model(folder + "/model.safetensors");
  }
  // The same in two files, of which an index tells.
  void shards(const std::string& folder) const {
    safetensors(folder);
    std::filesystem::remove(at(folder + "/model.safetensors"));
    text(folder + "/model.safetensors.index.json",
         R"({"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors",
                            "c": "model-1.safetensors"}})");
    model(folder + "/model-1.safetensors");
    model(folder + "/model-2.safetensors");
  }
  // A file of a repository in a hub's cache, as a link to a blob.
  void hub_file(const std::string& repository, const std::string& commit,
                const std::string& name) const {
    std::string oid;
    for (const char c : commit.substr(0, 4) + name) oid += c == '/' ? '_' : c;
    model(repository + "/blobs/" + oid);
    const std::string up = name.find('/') == std::string::npos ? "" : "../";
    link(up + "../../blobs/" + oid, repository + "/snapshots/" + commit + "/" + name);
  }
  // A manifest of Ollama's, of layers "model 12ab", and their blobs.
  void ollama(const std::string& root, const std::string& name,
              const std::vector<std::pair<std::string, std::string>>& layers) const {
    std::string text;
    for (const auto& [kind, hex] : layers) {
      text += (text.empty() ? "" : ",") + (R"({"mediaType": "application/vnd.ollama.image.)" +
                                           kind + R"(", "digest": "sha256:)" + hex + R"("})");
      if (!std::filesystem::exists(path() / root / "blobs" / ("sha256-" + hex)))
        file(root + "/blobs/sha256-" + hex, "GGUF" + hex);
    }
    file(root + "/manifests/" + name, R"({"layers": [)" + text + "]}");
  }
};

inline std::vector<std::string> names_of(const std::vector<StoreFile>& files) {
  std::vector<std::string> names;
  for (const StoreFile& file : files) names.push_back(file.name);
  return names;
}

}  // namespace confab::app
