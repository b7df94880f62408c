// SPDX-License-Identifier: MIT
// All models on this machine, each file once, but for models of Ollama's that differ in more: what
// every store has, put together. Nothing is copied or changed, no weights are opened, and a store
// that is broken takes nothing from the others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/stores/hub.h"
#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

// A file that goes with a model.
struct Sidecar {
  std::string name;
  std::filesystem::path path;
  bool operator==(const Sidecar&) const = default;
};

struct FoundModel {
  std::string name;            // as its store has it, and no other's: "llama3.2:3b"
  std::filesystem::path path;  // of its first part, where it has several, or of its folder
  std::uint64_t bytes = 0;     // of all its parts
  Store store{};
  std::vector<std::string> also = {};  // names that other places have for the same file
  std::vector<Sidecar> drafts = {};    // that guess its next tokens
  std::vector<Sidecar> projectors = {};
  bool operator==(const FoundModel&) const = default;
};

struct ModelSearch {
  std::filesystem::path current = {};  // beside this file too; empty: none
  Revisions revisions = Revisions::main;
};

struct FoundFiles {
  std::vector<FoundModel> models;  // sorted by name; at most 1000
  std::vector<FoundModel> drafts;  // of whatever model, by their names
  std::vector<std::string> notes;  // why something that looks like a model is not among them
};

FoundFiles find_files(const Places& places, const ModelSearch& search);

// The shipped models, and those below confab/models in the person's data and below the folders that
// CONFAB_MODEL_FOLDERS names, with colons between them as in PATH. They are called by their paths
// from these folders.
std::vector<StoreFile> own_files(const Places& places);
// The models in the folder of a model's file, or the model's folder itself; empty for an empty
// path.
std::vector<StoreFile> files_beside(const std::filesystem::path& model);

}  // namespace confab::app
