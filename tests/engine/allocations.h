// SPDX-License-Identifier: MIT
// How often the test program has asked for memory.
#pragma once

#include <cstddef>
#include <optional>

namespace confab::engine {

// Calls of operator new so far, by all threads; nullopt under a sanitizer, which brings its own.
std::optional<long> n_allocations() noexcept;
// Bytes that these calls asked for.
std::optional<std::size_t> n_allocated_bytes() noexcept;
// And those of the thread that asks.
std::optional<std::size_t> n_allocated_bytes_here() noexcept;

}  // namespace confab::engine
