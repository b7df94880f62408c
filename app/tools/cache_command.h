// SPDX-License-Identifier: MIT
// `confab cache`: what the prompt cache has, and how to get rid of it. Everything in it may go at
// any time, also while other programs use it: that costs time only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// Returns the exit status: 1 when a check found damaged blocks, 130 when it was interrupted. Throws
// UserError, StoreError.
int run_cache(const CacheOptions& options, const Paths& paths, std::ostream& out);

// After a conversation has been deleted: removes what only it had in the cache, if there is one in
// this directory. Returns how many bytes; failures leave it to `confab cache gc`.
std::uint64_t forget_conversation_cache(const std::filesystem::path& directory,
                                        std::int64_t conversation) noexcept;

}  // namespace confab::app
