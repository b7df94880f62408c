// SPDX-License-Identifier: MIT
// Files that were dropped on the terminal: it pastes their paths, as a shell or an address has
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::app {

// What is to stand in the question instead: @path for each file. Only where the pasted text is
// nothing but absolute paths of files and folders that are there; nullopt: it is a text like
// others. It was pasted all the same: whether the files go with the question is to be asked.
std::optional<std::string> dropped_paths(std::string_view pasted);

}  // namespace confab::app
