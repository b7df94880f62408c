// SPDX-License-Identifier: MIT
// What was written, on the disk itself.
#pragma once

namespace confab::engine::platform {

// Returns when what was written to the open file or folder survives power loss. -1, with errno:
// it cannot be said; EINVAL: never of such a file.
int sync_file(int fd) noexcept;

}  // namespace confab::engine::platform
