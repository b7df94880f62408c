// SPDX-License-Identifier: MIT
#include "app/pump.h"

#include <poll.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace confab::app {

void wait_readable(std::initializer_list<int> fds, std::optional<std::chrono::milliseconds> timeout,
                   int writable) {
  std::vector<pollfd> polled;
  for (const int fd : fds)
    if (fd >= 0) polled.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  if (writable >= 0) polled.push_back({.fd = writable, .events = POLLOUT, .revents = 0});
  const std::int64_t limit = std::numeric_limits<int>::max();
  const int ms =
      timeout ? static_cast<int>(std::clamp<std::int64_t>(timeout->count(), 0, limit)) : -1;
  poll(polled.data(), static_cast<nfds_t>(polled.size()), ms);
}

bool is_readable(int fd) {
  pollfd polled{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&polled, 1, 0) == 1 && (polled.revents & POLLIN) != 0;
}

}  // namespace confab::app
