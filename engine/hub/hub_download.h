// SPDX-License-Identifier: MIT
// Downloads one file in parts over several connections and verifies it.
//
// Until it is complete the file is BLOB.confab.incomplete, with holes. BLOB.confab.journal next to
// it records which parts are present (engine/hub/range_journal.h). The file is renamed to BLOB only
// if its SHA-256 is right. So a download can be interrupted at any moment, and the next one resumes
// it.
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
  std::filesystem::path blob;  // its folder must exist
  std::string repository;      // for messages
  int n_connections = 4;
};

struct DownloadProgress {
  std::uint64_t bytes_done = 0;  // of the file, including parts present before
  bool is_checking = false;      // the downloaded data is being verified
};

// Callbacks during a download, on the calling thread.
struct DownloadListener {
  // Return false to stop. Called about 20 times a second.
  std::function<bool(const DownloadProgress& progress)> go_on;
  // The blob is complete and in place, put there by this program. If the process is killed between
  // this call and the return of download(), the next download calls it again.
  std::function<void()> published;
};

enum class DownloadEnd { finished, was_there, stopped };

// Throws ModelError. If the checksum of the complete file is wrong, the file is removed first;
// otherwise the parts downloaded so far are kept.
DownloadEnd download(HttpClient& client, const Hub& hub, const DownloadJob& job,
                     const DownloadListener& listener);

// Estimates how many bytes remain to be downloaded, taking an interrupted download into account. 0:
// the file is there.
std::uint64_t bytes_to_come(const std::filesystem::path& blob, const HubFile& file);

// Computes the checksum of a file on disk. Returns nullopt if go_on returned false. Throws
// ModelError.
std::optional<std::string> sha256_of_file(const std::filesystem::path& path,
                                          const std::function<bool(std::uint64_t)>& go_on);

}  // namespace confab::engine
