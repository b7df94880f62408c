// SPDX-License-Identifier: MIT
// The cache of Hugging Face's hub, which llama.cpp uses too:
// models--ORG--NAME/{refs/main, snapshots/COMMIT/[DIR/]FILE, blobs/OID}.
// https://huggingface.co/docs/huggingface_hub/guides/manage-cache
#pragma once

#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

// Which commits of a repository: the one that refs/main names, or all that are there.
enum class Revisions { main, all };

// Of the folder that huggingface_hub uses (the first of HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE,
// HF_HOME/hub, the cache's huggingface/hub), and of LLAMA_CACHE, where llama.cpp has its own.
// "org/name/file.gguf"; of a revision that is not main's, "org/name@1a2b3c4d/file.gguf".
std::vector<StoreFile> hub_files(const Places& places, Revisions revisions);

}  // namespace confab::app
