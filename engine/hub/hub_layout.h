// SPDX-License-Identifier: MIT
// Where the hub's own programs, and confab, keep a repository on disk:
//
//   models--ORG--NAME/refs/main                   the commit
//   models--ORG--NAME/snapshots/COMMIT/PATH    -> ../../blobs/SHA256
//   models--ORG--NAME/blobs/SHA256                the file; incomplete ones have another name
//
// https://huggingface.co/docs/huggingface_hub/guides/manage-cache
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace confab::engine {

class HubLayout {
 public:
  // `folder` is the hub's cache folder for all repositories.
  HubLayout(const std::filesystem::path& folder, const std::string& repository);

  std::filesystem::path blob(const std::string& sha256) const;
  // The path of a file. `path` must be safe (engine/hub/hub_name.h).
  std::filesystem::path snapshot(const std::string& commit, const std::string& path) const;

  // Creates the folder for blobs. The functions from here on throw ModelError.
  void create() const;
  // Puts a blob into a snapshot and replaces what was there: as a link or, on file systems without
  // links, by moving the blob itself.
  void publish(const std::string& commit, const std::string& path, const std::string& sha256) const;
  void set_main(const std::string& commit) const;

  // Removes a file from a snapshot, its blob if no other snapshot uses it, and any folders that
  // become empty. Returns the number of bytes freed; 0 if the file does not exist or its blob is
  // still used.
  std::uint64_t remove(const std::string& commit, const std::string& path,
                       const std::string& sha256) const;

 private:
  bool is_used(const std::filesystem::path& blob) const;
  void remove_empty(std::filesystem::path folder, const std::string& commit) const;

  std::filesystem::path root_;
};

}  // namespace confab::engine
