// SPDX-License-Identifier: MIT
// The models on this machine that can be asked for, and which of them a name means.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/error.h"
#include "app/stores/stores.h"

namespace confab::app {

// What every store has (app/stores/stores.h), and what is beside `current`, a model's file.
std::vector<FoundModel> find_models(const std::filesystem::path& current);

// The file whose model calls itself so, as ModelInfo and the database have it; nullopt: none of
// them. Files are opened until it is found: a hundred at most.
std::optional<std::string> file_of_model_called(const std::string& name,
                                                const std::vector<FoundModel>& models);

// Drafts, and all models: each may be one.
std::vector<FoundModel> find_drafts();

// A file of that path, or the only model that the name means (app/stores/model_name.h); nullopt:
// there is neither. Throws NoModelError when the name means several.
std::optional<std::string> find_path(const std::string& name,
                                     const std::vector<FoundModel>& models);
// The same; throws NoModelError also when there is none.
std::string path_of_model(const std::string& name, const std::vector<FoundModel>& models);
// What ModelOptions::path is to be for that: the same file, but an Ollama model's name, since the
// file does not tell with which parameters and prompt. Throws NoModelError.
std::string spec_of_model(const std::string& name, const std::vector<FoundModel>& models);
std::string spec_of(const FoundModel& model);
// Of these, the one that was asked for as `asked` (ModelOptions::path) and has its weights in this
// file: it tells models of the same weights apart. nullptr: none of them. Borrowed.
const FoundModel* model_in_use(const std::vector<FoundModel>& models, const std::string& asked,
                               const std::filesystem::path& file);
// To be thrown for a name, or a path, behind which nothing is.
NoModelError no_model(const std::string& name);

}  // namespace confab::app
