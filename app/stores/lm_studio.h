// SPDX-License-Identifier: MIT
// LM Studio's models: PUBLISHER/MODEL/FILE.gguf in its folder, and PUBLISHER/MODEL with the files
// of one for MLX. https://github.com/lmstudio-ai/lms/blob/main/src/subcommands/importCmd.ts
#pragma once

#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

// Its home is what ~/.lmstudio-home-pointer says, else ~/.lmstudio and, of old, ~/.cache/lm-studio;
// its folder of models is downloadsFolder of the settings.json there, else models.
// "publisher/model/file.gguf", "publisher/model".
std::vector<StoreFile> lm_studio_files(const Places& places);

}  // namespace confab::app
