// SPDX-License-Identifier: MIT
#include "ui/terminal/safe_stream.h"

#include <sys/types.h>
#include <unistd.h>
#include <wchar.h>

#include <cerrno>
#include <cstddef>
#include <memory>

#include "ui/text.h"

namespace confab::ui {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

struct Stream {
  int fd;
  EditorFilter filter;
};

// Consumes all of `bytes`. Returns -1 if the descriptor cannot be written.
ssize_t write_filtered(void* cookie, const char* bytes, std::size_t n) {
  auto& stream = *static_cast<Stream*>(cookie);
  const std::string safe = stream.filter.feed({bytes, n});
  std::string_view left = safe;
  while (!left.empty()) {
    const ssize_t n_written = write(stream.fd, left.data(), left.size());
    if (n_written < 0 && errno == EINTR) continue;
    if (n_written <= 0) return -1;
    left.remove_prefix(static_cast<std::size_t>(n_written));
  }
  return static_cast<ssize_t>(n);
}

int close_stream(void* cookie) {
  const std::unique_ptr<Stream> ended(static_cast<Stream*>(cookie));
  return 0;
}

#ifdef __APPLE__
int write_filtered_int(void* cookie, const char* bytes, int n) {
  return static_cast<int>(write_filtered(cookie, bytes, static_cast<std::size_t>(n)));
}
#endif

}  // namespace

std::string EditorFilter::feed(std::string_view bytes) {
  const std::string joined = pending_ + std::string(bytes);
  std::string_view rest = joined;
  std::string out;
  while (!rest.empty()) {
    const Utf8Character next = next_character(rest);
    if (next.kind == Utf8Character::Kind::cut) break;
    if (next.kind == Utf8Character::Kind::malformed) {
      out += kReplacement;  // one for each byte, as the editor counts them
      rest.remove_prefix(1);
      continue;
    }
    const std::string_view character = rest.substr(0, next.n_bytes);
    if (next.n_bytes == 1 || sanitize(character) == character)
      out += character;
    else if (wcwidth(static_cast<wchar_t>(next.code_point)) != 0)
      out += kReplacement;
    rest.remove_prefix(next.n_bytes);
  }
  pending_ = rest;
  return out;
}

std::FILE* open_safe_stream(int fd) {
  auto stream = std::make_unique<Stream>(Stream{fd, {}});
#ifdef __APPLE__
  std::FILE* file = funopen(stream.get(), nullptr, write_filtered_int, nullptr, close_stream);
#else
  std::FILE* file = fopencookie(
      stream.get(), "w",
      {.read = nullptr, .write = write_filtered, .seek = nullptr, .close = close_stream});
#endif
  if (file != nullptr) stream.release();
  return file;
}

}  // namespace confab::ui
