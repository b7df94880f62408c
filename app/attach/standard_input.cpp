// SPDX-License-Identifier: MIT
#include "app/attach/standard_input.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "app/error.h"
#include "app/figures.h"

namespace confab::app {
namespace {

bool is_wanted(int fd, InputWish wish) {
  struct stat status {};
  if (wish == InputWish::none || fstat(fd, &status) != 0) return false;
  return wish == InputWish::asked_for || S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) ||
         S_ISSOCK(status.st_mode);
}

// False: the time is up; nullopt as the limit: there is none.
bool wait_for_input(int fd, std::optional<std::chrono::milliseconds> limit) {
  pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
  const int timeout = limit ? static_cast<int>(limit->count()) : -1;
  int n_ready = 0;
  do n_ready = poll(&wait, 1, timeout);
  while (n_ready < 0 && errno == EINTR);
  return n_ready != 0;
}

// False: that was the end.
bool read_some(int fd, std::string& text) {
  std::array<char, 65536> bytes;
  const ssize_t n = ::read(fd, bytes.data(), bytes.size());
  if (n > 0) text.append(bytes.data(), static_cast<std::size_t>(n));
  if (n >= 0) return n > 0;
  if (errno == EINTR || errno == EAGAIN) return true;
  throw UserError(fmt::format("standard input: cannot be read: {}", std::strerror(errno)));
}

}  // namespace

std::string read_input(int fd, InputWish wish, const std::function<void(std::string_view)>& tell,
                       const InputPatience& patience) {
  if (!is_wanted(fd, wish)) return {};
  std::string text;
  std::optional<std::chrono::milliseconds> limit =
      wish == InputWish::if_there ? patience.grace : patience.silent;
  if (isatty(fd) == 1) {
    tell("reading standard input; Ctrl+D ends it");
    limit.reset();
  }
  for (;;) {
    if (!wait_for_input(fd, limit)) {
      if (wish == InputWish::if_there && text.empty()) {
        tell("ignoring standard input, which is silent; to wait for it, add - as a file");
        return {};
      }
      tell("waiting for standard input to end; Ctrl+C quits, --no-stdin ignores it");
      limit.reset();
    } else if (!read_some(fd, text)) {
      return text;
    } else if (text.size() > patience.max_bytes) {
      throw UserError(
          fmt::format("standard input: more than {}, the most that can be attached; "
                      "give a part of it",
                      size_text(patience.max_bytes)));
    } else if (limit) {
      limit = patience.silent;
    }
  }
}

}  // namespace confab::app
