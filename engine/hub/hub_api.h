// SPDX-License-Identifier: MIT
// A hub's information about a repository: its commit, and its GGUF files with their checksums.
// https://huggingface.co/docs/hub/api
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/hub/hub_name.h"

namespace confab::engine {

class HttpClient;
struct HttpHead;

struct Hub {
  std::string url = "https://huggingface.co";  // without a trailing slash
  std::string token = {};                      // sent to this host only; empty: none
};

// The repository, or the file in it, does not exist.
class HubHasNot : public ModelError {
 public:
  using ModelError::ModelError;
};

struct HubFile {
  std::string path;  // passes is_safe_path()
  std::uint64_t bytes = 0;
  std::string sha256;  // 64 lower-case digits; empty: the hub gives none
  bool operator==(const HubFile&) const = default;
};

struct HubListing {
  std::string repository;  // "org/name"
  std::string commit;      // 40 digits
  std::vector<HubFile> files;
};

// Lists the GGUF files of a repository's main revision. Throws HubHasNot. Throws ModelError if the
// hub does not answer, requires a token, or lists unsafe file names.
HubListing list_files(HttpClient& client, const Hub& hub, const HubName& name);

// Chooses one model: a single file, or all shards of a split one. Without a choice it is Q4_K_M,
// else Q8_0, else the first. Projectors and other companion files are chosen only by their full
// names. Throws HubHasNot, listing what exists.
std::vector<HubFile> choose_files(const HubListing& listing, const std::string& choice);

std::string file_url(const Hub& hub, const HubListing& listing, const HubFile& file);

// Explains in one line why a hub refuses something, and what to do about it.
std::string refusal_text(const Hub& hub, const HttpHead& head, const std::string& repository);

}  // namespace confab::engine
