// SPDX-License-Identifier: MIT
#include "app/stores/ollama.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/stores/folder_walk.h"
#include "base/json.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr std::string_view kLayer = "application/vnd.ollama.image.";

// Returns an empty path if it is not the digest of a blob, or the blob is missing.
fs::path blob_of(const fs::path& root, const Json& layer) {
  constexpr std::string_view kBegin = "sha256:", kHex = "0123456789abcdef";
  const std::string digest = layer.text_at("digest");
  if (!digest.starts_with(kBegin) || digest.size() == kBegin.size() ||
      digest.find_first_not_of(kHex, kBegin.size()) != std::string::npos)
    return {};
  fs::path blob = root / "blobs" / ("sha256-" + digest.substr(kBegin.size()));
  std::error_code error;
  return fs::is_regular_file(blob, error) ? blob : fs::path();
}

void take_layer(OllamaModel& model, const std::string& kind, const fs::path& blob) {
  if (kind == "adapter") model.has_adapter = true;
  if (blob.empty()) return;
  if (kind == "model" && model.weights.empty()) model.weights = blob;
  if (kind == "projector") model.projectors.push_back(blob);
  if (kind == "draft") model.drafts.push_back(blob);
  if (kind == "system") model.system = blob;
  if (kind == "params") model.params = blob;
  if (kind == "template") model.chat_template = blob;
}

std::optional<OllamaModel> read_manifest(const fs::path& root, const fs::path& manifest,
                                         std::string name) {
  const auto read = Json::try_parse(small_text(manifest));
  const Json* layers = read ? read->find("layers") : nullptr;
  if (layers == nullptr) return std::nullopt;
  OllamaModel model{.name = std::move(name), .weights = {}};
  for (const Json& layer : layers->elements()) {
    const std::string type = layer.text_at("mediaType");
    if (type.starts_with(kLayer))
      take_layer(model, type.substr(kLayer.size()), blob_of(root, layer));
  }
  if (model.weights.empty()) return std::nullopt;
  return model;
}

// The short name of "HOST/NAMESPACE/MODEL/TAG"; empty if the path does not have four parts.
std::string short_name(const fs::path& relative) {
  const std::vector<fs::path> parts(relative.begin(), relative.end());
  if (parts.size() != 4) return {};
  std::string name = fmt::format("{}:{}", parts[2].string(), parts[3].string());
  const bool is_ollamas = parts[0] == "registry.ollama.ai";
  if (!is_ollamas || parts[1] != "library") name = parts[1].string() + '/' + name;
  return is_ollamas ? name : parts[0].string() + '/' + name;
}

}  // namespace

// /usr/share/ollama is the home of the user that runs the service:
// https://github.com/ollama/ollama/blob/main/docs/linux.mdx
std::vector<fs::path> ollama_folders(const Places& places) {
  std::vector<fs::path> folders;
  if (const auto folder = places.named_by("OLLAMA_MODELS")) folders.push_back(*folder);
  folders.push_back(places.home / ".ollama/models");
  folders.push_back(places.root / "usr/share/ollama/.ollama/models");
  return folders;
}

std::vector<OllamaModel> ollama_models(const Places& places) {
  std::vector<OllamaModel> models;
  for (const fs::path& root : ollama_folders(places)) {
    const fs::path manifests = root / "manifests";
    for (const fs::path& file : files_in(manifests, 3)) {
      std::string name = short_name(file.lexically_relative(manifests));
      if (name.empty()) continue;
      if (auto model = read_manifest(root, file, std::move(name)))
        models.push_back(std::move(*model));
    }
  }
  return models;
}

std::vector<StoreFile> ollama_files(const std::vector<OllamaModel>& models) {
  std::vector<StoreFile> files;
  for (const OllamaModel& model : models) {
    if (model.has_adapter) continue;
    const auto add = [&](const fs::path& path, StoreFileKind kind, std::string_view what) {
      files.push_back(
          {.store = Store::ollama,
           .name = model.name + std::string(what),
           .path = path,
           .kind = kind,
           .group = "ollama " + model.name,
           .variant = model.system.filename().string() + ' ' + model.params.filename().string()});
    };
    add(model.weights, StoreFileKind::model, "");
    for (const fs::path& path : model.projectors) add(path, StoreFileKind::projector, " projector");
    for (const fs::path& path : model.drafts) add(path, StoreFileKind::draft, " draft");
  }
  return files;
}

}  // namespace confab::app
