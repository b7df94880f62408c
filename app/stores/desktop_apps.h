// SPDX-License-Identifier: MIT
// The models of LM Studio, Jan and GPT4All.
#pragma once

#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

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
