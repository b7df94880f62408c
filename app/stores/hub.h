// SPDX-License-Identifier: MIT
// The cache of Hugging Face's hub, which llama.cpp uses too:
// models--ORG--NAME/{refs/main, snapshots/COMMIT/[DIR/]FILE, blobs/OID}. A snapshot is a model
// itself where it has one in safetensors files (model_folder.h).
// https://huggingface.co/docs/huggingface_hub/guides/manage-cache
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

// Which commits of a repository: the one that refs/main names, or all that are there.
enum class Revisions { main, all };

// Of all that the hub's own programs keep: HF_HOME, else huggingface in the cache.
std::filesystem::path hub_home(const Places& places);
// The folders of repositories: LLAMA_CACHE, where llama.cpp has its own, and the one that
// huggingface_hub uses (the first of HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, hub in hub_home()). Never
// empty; the first is where a program that follows llama.cpp puts what it downloads.
std::vector<std::filesystem::path> hub_folders(const Places& places);

// Of all these folders.
// "org/name/file.gguf", "org/name"; of a revision that is not main's,
// "org/name@1a2b3c4d/file.gguf".
std::vector<StoreFile> hub_files(const Places& places, Revisions revisions);

// "org/name" for such a folder of a snapshot; empty: it is none.
std::string repository_of(const std::filesystem::path& snapshot);

// The flat cache that llama.cpp filled until March 2026, and does not move: ORG_REPO_FILE.gguf
// beside manifest=ORG=REPO=TAG.json. It is LLAMA_CACHE, else llama.cpp in the cache, which on macOS
// is below ~/Library/Caches. Where a manifest names the repository, a file is called
// "org/repo/file.gguf", as in the hub's cache. https://github.com/ggml-org/llama.cpp/pull/20775
std::vector<StoreFile> flat_cache_files(const Places& places);

}  // namespace confab::app
