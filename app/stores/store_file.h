// SPDX-License-Identifier: MIT
// A file that a store of models has, or a folder that is a model: what one is told by its name,
// before anybody opens it.
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
  own_folder,  // beside the model in use, confab's own, or one that CONFAB_MODEL_FOLDERS names
  hugging_face,
  llama_cpp,  // as it was before it used Hugging Face's cache
  ollama,
  lm_studio,
  jan,
  gpt4all,
};
// "Hugging Face"
std::string_view name_of(Store store) noexcept;

// What is no model by itself: the part that sees or hears, a draft of what follows, and what
// quantising weighs errors with.
enum class StoreFileKind : std::uint8_t { model, projector, draft, importance_matrix };

struct StoreFile {
  Store store{};
  std::string name;  // as its store has it: "org/repo/file.gguf", "llama3.2:3b"; untrusted text
  std::filesystem::path path;
  StoreFileKind kind = StoreFileKind::model;
  // Files of one group were made for each other; empty: names tell.
  std::string group = {};
  // What tells models of the same weights apart in their store; empty: nothing.
  std::string variant = {};
};

// Whether a file has the extension of GGUF files, in any case.
bool is_gguf(const std::filesystem::path& path);
// By the words that llama.cpp looks for (common/download.cpp): mmproj, imatrix, mtp-, eagle3-,
// dflash-, dspark-. A model that was quantised with an importance matrix may say so in its name.
StoreFileKind kind_of(std::string_view file_name);
// Whether a draft or a projector is for that model, by their names.
bool is_made_for(std::string_view sidecar, std::string_view model);

// "NAME-00002-of-00003.gguf": a part of a model.
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
struct Shard {
  std::string stem;  // "NAME"
  int index = 0;     // from 1 on
  int count = 0;

  std::string file_name(int i) const;  // of part i
};
std::optional<Shard> shard_of(std::string_view file_name);

}  // namespace confab::app
