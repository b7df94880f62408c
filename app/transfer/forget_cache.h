// SPDX-License-Identifier: MIT
// Removing what a deleted conversation leaves in the prompt cache.
#pragma once

#include <cstdint>
#include <filesystem>

namespace confab::app {

// Call this after a conversation has been deleted. Removes the blocks that only this conversation
// used, if this directory has a cache. Returns how many bytes were removed. A failure leaves the
// work to `confab cache gc`.
std::uint64_t forget_conversation_cache(const std::filesystem::path& directory,
                                        std::int64_t conversation) noexcept;

}  // namespace confab::app
