// SPDX-License-Identifier: MIT
#include "engine/platform/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

namespace confab::engine::platform {

// macOS leaves it in the disk's own cache unless it is asked for more (fsync(2) there), which not
// all of its file systems can do.
int sync_file(int fd) noexcept {
#ifdef F_FULLFSYNC
  if (::fcntl(fd, F_FULLFSYNC) == 0) return 0;
#endif
  return ::fsync(fd);
}

}  // namespace confab::engine::platform
