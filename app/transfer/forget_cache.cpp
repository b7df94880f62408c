// SPDX-License-Identifier: MIT
#include "app/transfer/forget_cache.h"

#include <exception>

#include "sessions/blocks/cache_report.h"

namespace confab::app {

std::uint64_t forget_conversation_cache(const std::filesystem::path& directory,
                                        std::int64_t conversation) noexcept {
  try {
    if (!std::filesystem::exists(directory)) return 0;  // does not create a cache
    return sessions::forget_conversation(sessions::BlockDirectory(directory), conversation).bytes;
  } catch (const std::exception&) {
    return 0;
  }
}

}  // namespace confab::app
