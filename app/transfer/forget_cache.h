// SPDX-License-Identifier: MIT
// What a deleted conversation leaves in the prompt cache.
#pragma once

#include <cstdint>
#include <filesystem>

namespace confab::app {

// After a conversation has been deleted: removes what only it had in the cache, if there is one in
// this directory. Returns how many bytes; failures leave it to `confab cache gc`.
std::uint64_t forget_conversation_cache(const std::filesystem::path& directory,
                                        std::int64_t conversation) noexcept;

}  // namespace confab::app
