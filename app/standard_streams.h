// SPDX-License-Identifier: MIT
// Standard output and standard error of commands. A full disk, a closed descriptor or a reader that
// has gone never ends the program by itself: on standard output it decides the exit status, on
// standard error the text is lost.
#pragma once

#include <cstdio>
#include <memory>
#include <streambuf>
#include <string_view>

namespace confab::app {

// Writes text as it is.
void put_error(std::string_view text, std::FILE* out = stderr) noexcept;
// Writes a line after "confab: ", made safe to show.
void tell_error(std::string_view text, std::FILE* out = stderr);

// Takes the place of std::cout's own buffer while it lives, and remembers why a write failed.
class StandardOutput {
 public:
  explicit StandardOutput(int fd);  // borrowed; SIGPIPE must be ignored
  ~StandardOutput();
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  // Writes what is left. Throws UserError when something was not written, unless the reader of a
  // pipe has left (EPIPE): it has what it wanted.
  void finish();

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
  std::streambuf* former_;
};

}  // namespace confab::app
