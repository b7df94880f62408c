// SPDX-License-Identifier: MIT
// The cache of Hugging Face's hub, which llama.cpp uses too: models--ORG--NAME/{refs/main,
// snapshots/COMMIT/[DIR/]FILE, blobs/OID}. A snapshot with a model in safetensors files is itself a
// model (model_folder.h). Also the older, flat cache of llama.cpp.
// https://huggingface.co/docs/huggingface_hub/guides/manage-cache
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

// Which commits of a repository to list: the one that refs/main names, or all.
enum class Revisions { main, all };

// The folder of everything that the hub's own programs keep: HF_HOME, else huggingface in the
// cache.
std::filesystem::path hub_home(const Places& places);
// The folders with repositories: LLAMA_CACHE, which llama.cpp uses, and the folder of
// huggingface_hub (the first of HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, hub in hub_home()). Never
// empty. A program that follows llama.cpp downloads into the first.
std::vector<std::filesystem::path> hub_folders(const Places& places);

// The models in all these folders, called "org/name/file.gguf" or "org/name"; for a revision other
// than main, "org/name@1a2b3c4d/file.gguf".
std::vector<StoreFile> hub_files(const Places& places, Revisions revisions);

// The "org/name" of a snapshot's folder; empty if it is not one.
std::string repository_of(const std::filesystem::path& snapshot);

// The flat cache that llama.cpp filled until March 2026, and does not move: ORG_REPO_FILE.gguf
// beside manifest=ORG=REPO=TAG.json. It is LLAMA_CACHE, else llama.cpp in the cache, which on macOS
// is below ~/Library/Caches. Where a manifest names the repository, a file is called
// "org/repo/file.gguf", as in the hub's cache. https://github.com/ggml-org/llama.cpp/pull/20775
std::vector<StoreFile> flat_cache_files(const Places& places);

}  // namespace confab::app
