// SPDX-License-Identifier: MIT
// The cache that llama.cpp filled until March 2026, and does not move: ORG_REPO_FILE.gguf beside
// manifest=ORG=REPO=TAG.json. https://github.com/ggml-org/llama.cpp/pull/20775
#pragma once

#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

// Of LLAMA_CACHE, else the cache's llama.cpp, which on macOS is below ~/Library/Caches. Where a
// manifest tells the repository, a file is called "org/repo/file.gguf" as in the hub's cache.
std::vector<StoreFile> flat_cache_files(const Places& places);

}  // namespace confab::app
