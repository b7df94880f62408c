// SPDX-License-Identifier: MIT
// A regular file mapped read-only into memory: its pages are clean and shared between processes.
//
// Nothing is read before it is touched. What others do to the file shows: one that is overwritten
// in place has other bytes from then on, and where it was cut short, or its disk fails, there are
// zeros instead (fault_guard.h). state() tells. A file that takes its name by renaming does nothing
// to it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace confab::engine {

// What became of a file since it was mapped, from best to worst.
enum class FileState {
  same,
  // Size and time of the content are the same, but not that of the inode: it was renamed, linked or
  // deleted, or its times were set. Its content may be another, though that is not likely.
  touched,
  changed,  // what is read of it may be wrong, and may have been since the state was asked for last
};

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
  // Costs a system call, which does not read the file. Any thread may ask.
  FileState state() const noexcept;
  // Makes sure that reading it raises no SIGBUS, as it does from the constructor on unless somebody
  // sets another action for that signal.
  void guard() const noexcept;
  // Takes its pages out of this process; they come back as they are read. No other thread may read
  // it meanwhile and expect to be fast.
  void give_back() const noexcept;
  bool has(std::span<const std::byte> part) const noexcept;  // as a part of bytes()
  // Copies such a part without mapping its pages. Touching one byte can map 2 MiB around it.
  void copy(std::span<const std::byte> part, std::byte* to) const noexcept;
  // Lets the system begin to read all of it.
  void read_soon() const noexcept;

 private:
  struct Mapping;
  std::unique_ptr<Mapping> mapping_;
  std::span<const std::byte> bytes_;
  std::string identity_;
};

}  // namespace confab::engine
