// SPDX-License-Identifier: MIT
// Jan's models: llamacpp/models/ID/model.yml says where the file of a model is, which somebody may
// have imported from elsewhere.
// https://github.com/janhq/jan/blob/dev/src-tauri/src/core/app/commands.rs
#pragma once

#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

// Its data folder is JAN_DATA_FOLDER, else data_folder of the settings.json in Jan's folder of
// application data, else `data` there. What has a model.yml is called as that one's folder; files
// without one, also in the older folder `models`, by their paths.
std::vector<StoreFile> jan_files(const Places& places);

}  // namespace confab::app
