// SPDX-License-Identifier: MIT
#include "app/models/model_finder.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "app/paths.h"
#include "app/stores/model_name.h"
#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/run/model_facts.h"
#include "engine/safetensors/open_model.h"

namespace confab::app {

namespace fs = std::filesystem;

std::vector<FoundModel> find_models(const fs::path& current) {
  return find_files(Places::of_this_machine(), {.current = current}).models;
}

std::optional<std::string> file_of_model_called(const std::string& name,
                                                const std::vector<FoundModel>& models) {
  constexpr std::ptrdiff_t kMostOpened = 100;
  const auto is_called_so = [&name](const FoundModel& model) {
    try {
      return engine::model_name(engine::open_model(model.path.string())) == name;
    } catch (const engine::ModelError&) {  // damaged models are skipped
      return false;
    }
  };
  const auto end = models.begin() + std::min(std::ssize(models), kMostOpened);
  const auto found = std::find_if(models.begin(), end, is_called_so);
  return found == end ? std::nullopt : std::optional(found->path.string());
}

std::vector<FoundModel> find_drafts() {
  FoundFiles found = find_files(Places::of_this_machine(), {});
  std::ranges::move(found.models, std::back_inserter(found.drafts));
  return std::move(found.drafts);
}

std::optional<std::string> find_path(const std::string& name,
                                     const std::vector<FoundModel>& models) {
  std::error_code error;
  if (std::string file = expand_home(name);
      fs::is_regular_file(file, error) || engine::is_model_folder(file)) {
    return file;
  }
  const std::vector<const FoundModel*> found = models_called(name, models);
  if (found.size() > 1) throw NoModelError(ambiguity_text(name, found));
  return found.empty() ? std::nullopt : std::optional(found.front()->path.string());
}

std::string path_of_model(const std::string& name, const std::vector<FoundModel>& models) {
  if (auto path = find_path(name, models)) return *std::move(path);
  throw NoModelError(unknown_text(name, models));
}

std::string spec_of_model(const std::string& name, const std::vector<FoundModel>& models) {
  const std::string path = path_of_model(name, models);
  const std::vector<const FoundModel*> found = models_called(name, models);
  const bool is_of_name = found.size() == 1 && found.front()->path == path;
  return is_of_name ? spec_of(*found.front()) : path;
}

std::string spec_of(const FoundModel& model) {
  return model.store == Store::ollama ? model.name : model.path.string();
}

const FoundModel* model_in_use(const std::vector<FoundModel>& models, const std::string& asked,
                               const fs::path& file) {
  const auto has_file = [&file](const FoundModel& model) {
    std::error_code error;
    return fs::equivalent(model.path, file, error);
  };
  const std::vector<const FoundModel*> called = models_called(asked, models);
  if (called.size() == 1 && has_file(*called.front())) return called.front();
  const auto found = std::ranges::find_if(models, has_file);
  return found == models.end() ? nullptr : &*found;
}

NoModelError no_model(const std::string& name) {
  return NoModelError(unknown_text(name, find_models({})));
}

}  // namespace confab::app
