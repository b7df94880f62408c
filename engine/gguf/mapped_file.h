// SPDX-License-Identifier: MIT
// A regular file mapped read-only into memory: its pages are clean and shared between processes.
//
// Nothing is read before it is touched. Changes that others make to the file show through. If it is
// overwritten in place, its bytes change. If it is truncated, or its disk fails, the missing parts
// read as zeros (fault_guard.h). state() reports both. A new file renamed over this one does not
// affect it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace confab::engine {

// The condition of a file since it was mapped, from best to worst.
enum class FileState {
  same,
  // The file was renamed, linked or deleted, or its times were set: size and modification time are
  // the same, but the inode has changed. The content may differ, though that is unlikely.
  touched,
  changed,  // reads may return wrong bytes, and may have done so since state() was last called
};

class MappedFile {
 public:
  // Throws ModelError "PATH: ..." if there is no such file or it cannot be mapped.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  // The whole file, borrowed. It starts at a page boundary.
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  // Device, inode, size, modification time and inode change time. While these are the same, so is
  // the content.
  const std::string& identity() const noexcept { return identity_; }
  // Costs a system call that does not read the file. Any thread may call it.
  FileState state() const noexcept;
  // Makes sure that reading the file raises no SIGBUS. The constructor does this too, so call it
  // only after something may have set another action for that signal.
  void guard() const noexcept;
  // Releases the pages from this process. They come back when they are read, so other threads that
  // read meanwhile are slowed down.
  void give_back() const noexcept;
  bool has(std::span<const std::byte> part) const noexcept;  // true if `part` lies within bytes()
  // Copies such a part without mapping its pages. Touching a single byte can map 2 MiB around it.
  void copy(std::span<const std::byte> part, std::byte* to) const noexcept;
  // Asks the system to start reading the whole file.
  void read_soon() const noexcept;

 private:
  struct Mapping;
  std::unique_ptr<Mapping> mapping_;
  std::span<const std::byte> bytes_;
  std::string identity_;
};

}  // namespace confab::engine
