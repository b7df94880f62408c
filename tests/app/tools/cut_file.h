// SPDX-License-Identifier: MIT
// A stream that cuts a file short: when it is written to, or when all of it has been read.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>

namespace confab::app {

class CutFile : public std::stringbuf {
 public:
  explicit CutFile(std::string file, const std::string& text = {})
      : std::stringbuf(text), file_(std::move(file)) {}

 protected:
  std::streamsize xsputn(const char* text, std::streamsize n) override {
    std::filesystem::resize_file(file_, 0);
    return std::stringbuf::xsputn(text, n);
  }
  int_type underflow() override {
    std::filesystem::resize_file(file_, 0);
    return std::stringbuf::underflow();
  }

 private:
  std::string file_;
};

}  // namespace confab::app
