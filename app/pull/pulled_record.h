// SPDX-License-Identifier: MIT
// Which files confab has pulled, and so may remove: pulled.jsonl in confab's data folder, a line of
// JSON for each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/paths.h"

namespace confab::app {

struct PulledFile {
  std::string hub;         // the folder of all repositories
  std::string repository;  // "org/name"
  std::string commit;
  std::string path;  // in the repository; a safe one
  std::string sha256;
  std::uint64_t bytes = 0;
  bool operator==(const PulledFile&) const = default;
};

// Several programs may use one file of this kind at once.
class PulledRecord {
 public:
  static std::filesystem::path file_of(const Paths& paths);
  explicit PulledRecord(std::filesystem::path file) : file_(std::move(file)) {}

  // Lines that are not as they should be are none.
  std::vector<PulledFile> list() const;
  // On the disk when they return. Both throw ModelError.
  void add(const PulledFile& file) const;
  void remove(const PulledFile& file) const;

 private:
  std::filesystem::path file_;
};

}  // namespace confab::app
