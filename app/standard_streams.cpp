// SPDX-License-Identifier: MIT
#include "app/standard_streams.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <streambuf>
#include <string>
#include <utility>

#include "app/error.h"
#include "ui/text.h"

namespace confab::app {

void put_error(std::string_view text, std::FILE* out) noexcept {
  std::fwrite(text.data(), 1, text.size(), out);
  std::fflush(out);
}

void tell_error(std::string_view text, std::FILE* out) {
  put_error(fmt::format("confab: {}\n", ui::sanitize(text)), out);
}

class StandardOutput::Buffer : public std::streambuf {
 public:
  explicit Buffer(int fd) : fd_(fd), is_terminal_(isatty(fd) == 1) {}

  int fault() const noexcept { return fault_; }  // errno; 0: no failure

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char byte = traits_type::to_char_type(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* bytes, std::streamsize n) override {
    constexpr std::size_t kMostKept = std::size_t{1} << 16;
    text_.append(bytes, static_cast<std::size_t>(n));
    const bool is_kept = !is_terminal_ && text_.size() < kMostKept;
    return is_kept || sync() == 0 ? n : 0;
  }
  int sync() override {
    const std::string text = std::exchange(text_, {});
    for (std::string_view left = text; !left.empty() && fault_ == 0;) {
      const ssize_t n = ::write(fd_, left.data(), left.size());
      if (n >= 0) {
        left.remove_prefix(static_cast<std::size_t>(n));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        // Another process that shares the descriptor made it non-blocking.
        pollfd wait{.fd = fd_, .events = POLLOUT, .revents = 0};
        poll(&wait, 1, -1);
      } else if (errno != EINTR) {
        fault_ = errno;
      }
    }
    return fault_ == 0 ? 0 : -1;
  }

 private:
  int fd_;
  bool is_terminal_;  // then every write is shown at once
  std::string text_;  // bytes not written yet
  int fault_ = 0;
};

StandardOutput::StandardOutput(int fd)
    : buffer_(std::make_unique<Buffer>(fd)), former_(std::cout.rdbuf(buffer_.get())) {}

StandardOutput::~StandardOutput() {
  std::cout.flush();
  std::cout.rdbuf(former_);
}

void StandardOutput::finish() {
  std::cout.flush();
  const int fault = buffer_->fault();
  if (fault != 0 && fault != EPIPE)
    throw UserError(fmt::format("standard output: cannot be written: {}", std::strerror(fault)));
}

}  // namespace confab::app
