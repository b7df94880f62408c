// SPDX-License-Identifier: MIT
#include "engine/platform/mapped_range.h"

#include <sys/mman.h>

namespace confab::engine::platform {

MappedRange::~MappedRange() {
  for (const std::span<std::byte> part : {bytes_, behind_}) {
    if (!part.empty()) ::munmap(part.data(), part.size());
  }
}

void MappedRange::cut(std::size_t n_bytes, std::size_t hole_bytes) noexcept {
  behind_ = bytes_.subspan(n_bytes + hole_bytes);
  bytes_ = bytes_.first(n_bytes);
}

}  // namespace confab::engine::platform
