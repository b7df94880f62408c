// SPDX-License-Identifier: MIT
// The models that confab suggests to pull: models/suggested.toml, or suggested.toml in the
// configuration folder instead. It has one table per model, the best first:
//
//   ["Qwen3.5 4B"]
//   pull = "unsloth/Qwen3.5-4B-GGUF"    # with :QUANT if it is not the usual one
//   gb = 2.8                            # size of the file in 10^9 bytes
//   about = "small, reasons before it answers"
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/paths.h"

namespace confab::app {

struct ListedModel {
  std::string name;
  std::string pull;  // "org/name[:QUANT]"
  std::uint64_t bytes = 0;
  std::string about;
  bool operator==(const ListedModel&) const = default;
};

struct ModelList {
  std::filesystem::path file;
  std::vector<ListedModel> models = {};
};

// Throws UserError "FILE:LINE: ..." if the list is invalid or missing.
ModelList load_model_list(const Paths& paths);
std::filesystem::path own_model_list(const Paths& paths);  // may not exist

// The first three models whose files are not larger than room_bytes.
std::vector<ListedModel> models_that_fit(std::span<const ListedModel> models,
                                         std::uint64_t room_bytes);

}  // namespace confab::app
