// SPDX-License-Identifier: MIT
// What a person means by the name of a model.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/stores/stores.h"

namespace confab::app {

// The models that a name may mean, in their order; several where it does not tell them apart. The
// first of these that finds any decides:
//   1. the whole name, or one that another place has for the same file
//   2. the same in any case; "name" is Ollama's "name:latest"
//   3. the name of the file, with or without its extension
//   4. "org/repo:TAG", the file of that number format, as for llama.cpp's -hf; without a tag that
//      of Q4_K_M, then Q8_0, then the first, then its folder. "hf.co/" may stand before it
//   5. a part of the name, in any case
//   6. all of its words, in any order: "qwen 8b q4"
// What is written as a path or as a file's name is not guessed at: for it, 5 and 6 find nothing.
// Borrowed from `models`.
std::vector<const FoundModel*> models_called(std::string_view name,
                                             std::span<const FoundModel> models);

// The line for a name that means several models.
std::string ambiguity_text(std::string_view name, std::span<const FoundModel* const> found);
// The line for one that means none: what is here of the repository that it names, or that has a
// name near it.
std::string unknown_text(std::string_view name, std::span<const FoundModel> models);

}  // namespace confab::app
