// SPDX-License-Identifier: MIT
// A file that appears whole or not at all: written under another name beside its own, and renamed
// when all of it is on the disk. Until then a file of that name stays as it was.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace confab::engine {

class AtomicFile {
 public:
  // Throws ModelError "PATH: ..." when no file can be made in the folder of `path`.
  explicit AtomicFile(std::string path);
  ~AtomicFile();  // removes what was not committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Both throw ModelError "PATH: ...", with the system's reason.
  void write(std::span<const std::byte> bytes);
  void commit();  // call once, as the last thing

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  std::string partial_;  // empty once it has been renamed
  int fd_ = -1;
};

}  // namespace confab::engine
