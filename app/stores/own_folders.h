// SPDX-License-Identifier: MIT
// Models that nobody's store has: folders of a person's own, and what is shipped.
#pragma once

#include <filesystem>
#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

// What is shipped, and what is below the folders that CONFAB_MODEL_FOLDERS names (with colons
// between them, as PATH) and confab/models of the person's data. By their paths from these folders.
std::vector<StoreFile> own_files(const Places& places);
// In the folder of a model's file, by their names, or the model's folder itself; empty for an empty
// path.
std::vector<StoreFile> files_beside(const std::filesystem::path& model);

}  // namespace confab::app
