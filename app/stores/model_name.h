// SPDX-License-Identifier: MIT
// Resolves the name that a person gives for a model.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/stores/stores.h"

namespace confab::app {

// The models that a name may mean, in their order; several if it is ambiguous. The first of these
// rules that finds any decides:
//   1. the whole name, or another place's name for the same file
//   2. the same ignoring case; "name" is Ollama's "name:latest"
//   3. the name of the file, with or without its extension
//   4. "org/repo:TAG", the file with that number format, as for llama.cpp's -hf. Without a tag:
//      Q4_K_M, then Q8_0, then the first file, then the folder. "hf.co/" may come first
//   5. a part of the name, ignoring case
//   6. all words of the name, in any order: "qwen 8b q4"
// A name in the form of a path or a file name is not guessed at: rules 5 and 6 do not apply to it.
// The result is borrowed from `models`.
std::vector<const FoundModel*> models_called(std::string_view name,
                                             std::span<const FoundModel> models);

// The message for a name that matches several models.
std::string ambiguity_text(std::string_view name, std::span<const FoundModel* const> found);
// The message for a name that matches none: what is here of the repository it names, or a similar
// name.
std::string unknown_text(std::string_view name, std::span<const FoundModel> models);

}  // namespace confab::app
