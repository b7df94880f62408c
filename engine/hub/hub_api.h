// SPDX-License-Identifier: MIT
// What a hub says of a repository: its commit, and its GGUF files with their sums.
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
  std::string url = "https://huggingface.co";  // without a slash at its end
  std::string token = {};                      // sent to this host only; empty: none
};

// There is no such repository, or no such file in it.
class HubHasNot : public ModelError {
 public:
  using ModelError::ModelError;
};

struct HubFile {
  std::string path;  // safe, as is_safe_path() has it
  std::uint64_t bytes = 0;
  std::string sha256;  // 64 small digits
  bool operator==(const HubFile&) const = default;
};

struct HubListing {
  std::string repository;  // "org/name"
  std::string commit;      // 40 digits
  std::vector<HubFile> files;
};

// The GGUF files of a repository's main revision. Throws HubHasNot, and ModelError where the hub
// does not answer, wants a token, or names files that nobody should write.
HubListing list_files(HttpClient& client, const Hub& hub, const HubName& name);

// The model that is meant: one file, or all shards of one. Without a choice Q4_K_M, else Q8_0, else
// the first; projectors and what else lies beside a model only by their names. Throws HubHasNot,
// which names what there is.
std::vector<HubFile> choose_files(const HubListing& listing, const std::string& choice);

std::string file_url(const Hub& hub, const HubListing& listing, const HubFile& file);

// Why a hub does not give something: one line that says what to do. `what` is the repository.
std::string refusal_text(const Hub& hub, const HttpHead& head, const std::string& repository);

}  // namespace confab::engine
