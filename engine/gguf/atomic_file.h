// SPDX-License-Identifier: MIT
// A file that appears whole or not at all: written under another name beside its own, and renamed
// when all of it is on the disk. Until then a file of that name stays as it was; one that is
// replaced hands on its permissions.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace confab::engine {

// What becomes of a file that has the name when the new one is whole.
enum class Existing { keep, replace };

class AtomicFile {
 public:
  // Throws ModelError "PATH: ..." when no file can be made in the folder of `path`.
  explicit AtomicFile(std::string path, Existing existing = Existing::replace);
  ~AtomicFile();  // removes what was not committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Both throw ModelError "PATH: ...", with the system's reason.
  void write(std::span<const std::byte> bytes);
  // Call once, as the last thing. Fails when a file that is to be kept has appeared meanwhile.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;
  bool create(const std::string& partial);
  bool give_name() const;

  std::string path_;
  Existing existing_;
  std::string partial_;  // empty once it has been renamed
  int fd_ = -1;
};

}  // namespace confab::engine
