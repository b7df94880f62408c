// SPDX-License-Identifier: MIT
// One file, pulled in parts over several connections, and checked.
//
// While it is not whole it is BLOB.confab.incomplete, with holes, and which parts of it are there
// is in BLOB.confab.journal beside it (engine/hub/range_journal.h). Only what has the right SHA-256
// is renamed to BLOB. So it can be cut off at any moment, and the next download of it goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/hub/hub_api.h"

namespace confab::engine {

class HttpClient;

struct DownloadJob {
  std::string url;
  HubFile file;
  std::filesystem::path blob;  // in a folder that is there
  std::string repository;      // for what is said of it
  int n_connections = 4;
};

struct DownloadProgress {
  std::uint64_t bytes_done = 0;  // of the file, also those that were there before
  bool is_checking = false;      // what was done is read again
};

// What is told on the way, on the thread that calls.
struct DownloadListener {
  // False: stop here. About 20 times a second.
  std::function<bool(const DownloadProgress& progress)> go_on;
  // The blob is ours and in its place. After it and before download() returns, a kill makes the
  // next download call it again.
  std::function<void()> published;
};

enum class DownloadEnd { finished, was_there, stopped };

// Throws ModelError; a file that has a wrong sum in the end is removed first. What was there of it
// stays otherwise.
DownloadEnd download(HttpClient& client, const Hub& hub, const DownloadJob& job,
                     const DownloadListener& listener);

// What is to come of a file, besides what a cut-off download left; 0: it is there.
std::uint64_t bytes_to_come(const std::filesystem::path& blob, const HubFile& file);

// Of a file, as it is on the disk. nullopt: go_on said to stop. Throws ModelError.
std::optional<std::string> sha256_of_file(const std::filesystem::path& path,
                                          const std::function<bool(std::uint64_t)>& go_on);

}  // namespace confab::engine
