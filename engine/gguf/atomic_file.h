// SPDX-License-Identifier: MIT
// A file that appears complete or not at all. It is written next to its destination under another
// name and renamed once all of it is on disk. Until then a file already at the destination is
// untouched. A file that is replaced passes on its permissions.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace confab::engine {

// How commit() treats a file that already has the name.
enum class Existing { keep, replace };

class AtomicFile {
 public:
  // Throws ModelError "PATH: ..." if no file can be created in the folder of `path`.
  explicit AtomicFile(std::string path, Existing existing = Existing::replace);
  ~AtomicFile();  // deletes the partial file unless it was committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Both throw ModelError "PATH: ..." with the system's reason.
  void write(std::span<const std::byte> bytes);
  // Call this once, last. With Existing::keep it fails if a file of that name has appeared
  // meanwhile.
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
