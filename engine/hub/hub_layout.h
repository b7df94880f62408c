// SPDX-License-Identifier: MIT
// Where the hub's own programs keep a repository on the disk, and confab with them:
//
//   models--ORG--NAME/refs/main                   the commit
//   models--ORG--NAME/snapshots/COMMIT/PATH    -> ../../blobs/SHA256
//   models--ORG--NAME/blobs/SHA256                the file; what is not whole has another name
//
// https://huggingface.co/docs/huggingface_hub/guides/manage-cache
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace confab::engine {

class HubLayout {
 public:
  // `folder`: the hub's own, that of all repositories.
  HubLayout(const std::filesystem::path& folder, const std::string& repository);

  std::filesystem::path blob(const std::string& sha256) const;
  // Of a file; `path` must be a safe one (engine/hub/hub_name.h).
  std::filesystem::path snapshot(const std::string& commit, const std::string& path) const;

  // Makes the folders for blobs. These throw ModelError.
  void create() const;
  // Gives a blob its place in a snapshot: as a link, or where there are no links as the file
  // itself, which then is no blob any more. What stood there is replaced.
  void publish(const std::string& commit, const std::string& path, const std::string& sha256) const;
  void set_main(const std::string& commit) const;

  // Takes a file out of a snapshot, its blob where no other snapshot has it, and the folders that
  // are empty then. Returns the bytes that became free; 0: the file is not there, or is still used.
  // Throws ModelError.
  std::uint64_t remove(const std::string& commit, const std::string& path,
                       const std::string& sha256) const;

 private:
  bool is_used(const std::filesystem::path& blob) const;
  void remove_empty(std::filesystem::path folder, const std::string& commit) const;

  std::filesystem::path root_;
};

}  // namespace confab::engine
