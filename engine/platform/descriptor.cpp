// SPDX-License-Identifier: MIT
#include "engine/platform/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

namespace confab::engine::platform {

// On macOS, fsync(2) may leave data in the disk's own cache. F_FULLFSYNC flushes it, but not all
// file systems support that.
int sync_file(int fd) noexcept {
#ifdef F_FULLFSYNC
  if (::fcntl(fd, F_FULLFSYNC) == 0) return 0;
#endif
  return ::fsync(fd);
}

}  // namespace confab::engine::platform
