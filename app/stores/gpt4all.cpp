// SPDX-License-Identifier: MIT
#include "app/stores/gpt4all.h"

#include "app/stores/folder_walk.h"

namespace confab::app {

namespace fs = std::filesystem;

std::vector<StoreFile> gpt4all_files(const Places& places) {
  std::vector<StoreFile> files;
  for (const fs::path& folder :
       {places.application_data() / "nomic.ai/GPT4All", places.home / ".cache/gpt4all"})
    for (const fs::path& file : gguf_files_in(folder, 0)) {
      std::string name = file.filename().string();
      if (name.starts_with("incomplete-")) continue;
      const StoreFileKind kind = kind_of(name);
      files.push_back(
          {.store = Store::gpt4all, .name = std::move(name), .path = file, .kind = kind});
    }
  return files;
}

}  // namespace confab::app
