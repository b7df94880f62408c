// SPDX-License-Identifier: MIT
// A file in a store of models, or a folder that is a model, and what its name says before anybody
// opens it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

// The programs whose models are found.
enum class Store : std::uint8_t {
  bundled,
  own_folder,  // beside the model in use, confab's own folder, or one in CONFAB_MODEL_FOLDERS
  hugging_face,
  llama_cpp,  // its cache from before it used Hugging Face's
  ollama,
  lm_studio,
  jan,
  gpt4all,
};
// "Hugging Face"
std::string_view name_of(Store store) noexcept;

// The kinds of files. Besides models: the part that sees or hears, a model that drafts tokens, and
// the importance matrix that weights errors in quantising.
enum class StoreFileKind : std::uint8_t { model, projector, draft, importance_matrix };

struct StoreFile {
  Store store{};
  std::string name;  // its name in the store: "org/repo/file.gguf", "llama3.2:3b"; untrusted text
  std::filesystem::path path;
  StoreFileKind kind = StoreFileKind::model;
  // Files in one group were made for each other; empty: judge by their names.
  std::string group = {};
  // Distinguishes models that share their weights within a store; empty: nothing does.
  std::string variant = {};
};

// Whether a file has the extension of GGUF files, in any case.
bool is_gguf(const std::filesystem::path& path);
// Judges by the words that llama.cpp looks for (common/download.cpp): mmproj, imatrix, mtp-,
// eagle3-, dflash-, dspark-. A model that was quantised with an importance matrix may mention that
// in its name.
StoreFileKind kind_of(std::string_view file_name);
// Whether a draft or a projector belongs to that model, judging by their names.
bool is_made_for(std::string_view sidecar, std::string_view model);

// "NAME-00002-of-00003.gguf": one part of a model.
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
struct Shard {
  std::string stem;  // "NAME"
  int index = 0;     // counted from 1
  int count = 0;

  std::string file_name(int i) const;  // file name of part i
};
std::optional<Shard> shard_of(std::string_view file_name);

}  // namespace confab::app
