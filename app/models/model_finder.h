// SPDX-License-Identifier: MIT
// Finds the models on this machine, and which of them a name means.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/error.h"
#include "app/stores/stores.h"

namespace confab::app {

// All models in all stores (app/stores/stores.h), and those beside `current`, the file of a model.
std::vector<FoundModel> find_models(const std::filesystem::path& current);

// The file of the model whose own name is `name`, as in ModelInfo and the database; nullopt if
// there is none. Opens at most a hundred files to find it.
std::optional<std::string> file_of_model_called(const std::string& name,
                                                const std::vector<FoundModel>& models);

// All draft models, and all other models too, since each may serve as a draft.
std::vector<FoundModel> find_drafts();

// The file at that path, or the only model that the name matches (app/stores/model_name.h); nullopt
// if there is neither. Throws NoModelError if the name is ambiguous.
std::optional<std::string> find_path(const std::string& name,
                                     const std::vector<FoundModel>& models);
// The same, but also throws NoModelError if there is none.
std::string path_of_model(const std::string& name, const std::vector<FoundModel>& models);
// The value for ModelOptions::path that selects this model: its file, or the name of an Ollama
// model, because the file does not say which parameters and prompt to use. Throws NoModelError.
std::string spec_of_model(const std::string& name, const std::vector<FoundModel>& models);
std::string spec_of(const FoundModel& model);
// The model that was requested as `asked` (ModelOptions::path) and has its weights in this file.
// The name distinguishes models with the same weights. Returns nullptr if there is none. Borrowed
// from `models`.
const FoundModel* model_in_use(const std::vector<FoundModel>& models, const std::string& asked,
                               const std::filesystem::path& file);
// The error to throw for a name or a path that leads to nothing.
NoModelError no_model(const std::string& name);

}  // namespace confab::app
