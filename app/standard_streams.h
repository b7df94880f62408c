// SPDX-License-Identifier: MIT
// Standard output and standard error of commands. A full disk, a closed descriptor or a reader that
// has gone never ends the program by itself: a failure on standard output decides the exit status,
// and on standard error the text is lost.
#pragma once

#include <cstdio>
#include <memory>
#include <streambuf>
#include <string_view>

namespace confab::app {

// Writes the text unchanged.
void put_error(std::string_view text, std::FILE* out = stderr) noexcept;
// Writes the text as a line after "confab: ", sanitised.
void tell_error(std::string_view text, std::FILE* out = stderr);

// Replaces std::cout's own buffer while it lives, and remembers why a write failed.
class StandardOutput {
 public:
  explicit StandardOutput(int fd);  // borrowed; SIGPIPE must be ignored
  ~StandardOutput();
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  // Writes what is left. Throws UserError if something could not be written, unless the reader of a
  // pipe has left (EPIPE), since it has read all it wanted.
  void finish();

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
  std::streambuf* former_;
};

}  // namespace confab::app
