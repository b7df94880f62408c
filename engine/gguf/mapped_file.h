// SPDX-License-Identifier: MIT
// A regular file mapped read-only into memory: its pages are clean and shared between processes.
//
// Nothing is read before it is touched. A file that is truncated while it is mapped raises SIGBUS
// on access, as with every mapping.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace confab::engine {

class MappedFile {
 public:
  // Throws ModelError "PATH: ..." when there is no such file, or it is none that can be mapped.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  // The whole file, borrowed; starts at a page boundary.
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  // Device, inode, size, and the times of the last changes of content and of the inode: while these
  // are the same, so is the content.
  const std::string& identity() const noexcept { return identity_; }

 private:
  std::span<const std::byte> bytes_;
  std::string identity_;
};

}  // namespace confab::engine
