// SPDX-License-Identifier: MIT
// The record of files that confab has pulled, and so may remove: pulled.jsonl in confab's data
// folder, with one line of JSON per file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/paths.h"

namespace confab::app {

struct PulledFile {
  std::string hub;         // the folder that holds all repositories
  std::string repository;  // "org/name"
  std::string commit;
  std::string path;  // path in the repository; a safe one
  std::string sha256;
  std::uint64_t bytes = 0;
  bool operator==(const PulledFile&) const = default;
};

// Several programs may use one record at the same time.
class PulledRecord {
 public:
  static std::filesystem::path file_of(const Paths& paths);
  explicit PulledRecord(std::filesystem::path file) : file_(std::move(file)) {}

  // Invalid lines are skipped.
  std::vector<PulledFile> list() const;
  // Both have written the file when they return. Both throw ModelError.
  void add(const PulledFile& file) const;
  void remove(const PulledFile& file) const;

 private:
  std::filesystem::path file_;
};

}  // namespace confab::app
