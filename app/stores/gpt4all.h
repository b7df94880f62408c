// SPDX-License-Identifier: MIT
// GPT4All's models: a flat folder. https://docs.gpt4all.io
#pragma once

#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

// Of the program's folder nomic.ai/GPT4All of application data, and of the Python library's in the
// cache. What it has not downloaded whole is called incomplete-FILE.gguf, and left out.
std::vector<StoreFile> gpt4all_files(const Places& places);

}  // namespace confab::app
