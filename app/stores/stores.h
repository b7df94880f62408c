// SPDX-License-Identifier: MIT
// All models on this machine, from all stores together. Each file is listed once, except that
// Ollama's models may share a file and differ otherwise. Nothing is copied or changed, no weights
// are opened, and a broken store does not affect the others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/stores/hub.h"
#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

// A file that belongs to a model.
struct Sidecar {
  std::string name;
  std::filesystem::path path;
  bool operator==(const Sidecar&) const = default;
};

struct FoundModel {
  std::string name;            // its name in the store, unique among all models: "llama3.2:3b"
  std::filesystem::path path;  // the file, its first part, or the model's folder
  std::uint64_t bytes = 0;     // total size of all parts
  Store store{};
  std::vector<std::string> also = {};  // names of the same file elsewhere
  std::vector<Sidecar> drafts = {};    // models that draft tokens for it
  std::vector<Sidecar> projectors = {};
  bool operator==(const FoundModel&) const = default;
};

struct ModelSearch {
  std::filesystem::path current = {};  // also search beside this file; empty: none
  Revisions revisions = Revisions::main;
};

struct FoundFiles {
  std::vector<FoundModel> models;  // sorted by name; at most 1000
  std::vector<FoundModel> drafts;  // drafts for any model, sorted by name
  std::vector<std::string> notes;  // why things that look like models are not listed
};

FoundFiles find_files(const Places& places, const ModelSearch& search);

// The shipped models, and those below confab/models in the person's data and below the folders that
// CONFAB_MODEL_FOLDERS names, with colons between them as in PATH. They are called by their paths
// from these folders.
std::vector<StoreFile> own_files(const Places& places);
// The models in the folder of a model's file, or the model's folder itself; empty for an empty
// path.
std::vector<StoreFile> files_beside(const std::filesystem::path& model);

// LM Studio's models: PUBLISHER/MODEL/FILE.gguf in its folder, and PUBLISHER/MODEL with the files
// of one for MLX, called "publisher/model/file.gguf" and "publisher/model". Its home is the path in
// ~/.lmstudio-home-pointer, else ~/.lmstudio and the older ~/.cache/lm-studio; its folder of models
// is downloadsFolder of the settings.json there, else models.
// https://github.com/lmstudio-ai/lms/blob/main/src/subcommands/importCmd.ts
std::vector<StoreFile> lm_studio_files(const Places& places);

// Jan's models: llamacpp/models/ID/model.yml says where the file of a model is, which may have been
// imported from elsewhere. The data folder is JAN_DATA_FOLDER, else data_folder of the
// settings.json in Jan's folder of application data, else `data` there. A model with a model.yml is
// called as the folder of that; a file without one, also in the older folder `models`, by its path.
// https://github.com/janhq/jan/blob/dev/src-tauri/src/core/app/commands.rs
std::vector<StoreFile> jan_files(const Places& places);

// GPT4All's models: the flat folder nomic.ai/GPT4All in application data, and the one of its Python
// library in the cache. Unfinished downloads, called incomplete-FILE.gguf, are left out.
// https://docs.gpt4all.io
std::vector<StoreFile> gpt4all_files(const Places& places);

}  // namespace confab::app
