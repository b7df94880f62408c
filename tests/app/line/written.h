// SPDX-License-Identifier: MIT
// What is written to a file, to be read again.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

#include "app/line/side_lines.h"
#include "ui/terminal/plain_writer.h"

namespace confab::app {

class WrittenFile {
 public:
  WrittenFile() : file_(std::tmpfile()) {}
  ~WrittenFile() { std::fclose(file_); }
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;

  std::FILE* file() const noexcept { return file_; }
  int fd() const noexcept { return fileno(file_); }
  std::string text() const {
    std::fflush(file_);
    std::string all(static_cast<std::size_t>(lseek(fd(), 0, SEEK_END)), '\0');
    const auto n = pread(fd(), all.data(), all.size(), 0);
    return all.substr(0, static_cast<std::size_t>(n));
  }

 private:
  std::FILE* file_;
};

// Both ends of `confab -p`.
struct Written {
  WrittenFile out_file, err_file;
  ui::PlainWriter out{out_file.fd(), false};
  SideLines side{false, err_file.file()};

  std::string answer() const { return out_file.text(); }
  std::string lines() const { return err_file.text(); }
};

}  // namespace confab::app
