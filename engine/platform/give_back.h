// SPDX-License-Identifier: MIT
// Memory that is not needed for now, given back to the system while its addresses stay as they are.
#pragma once

#include <cstddef>
#include <span>

namespace confab::engine::platform {

// What the system gives and takes memory by, in bytes: a power of two, 64 KiB at most.
std::size_t page_bytes() noexcept;

// Of the whole pages in this range. What was in memory of one's own is lost: it reads as zeros, or
// as it was, and takes memory again as it is written to. Pages of a file that is mapped for reading
// come from there again, which costs no reading as long as the system has them in its cache.
void give_back(std::span<std::byte> bytes) noexcept;

// Lets the system begin to read the part of a file that is mapped there. Returns at once.
void read_soon(std::span<const std::byte> bytes) noexcept;

}  // namespace confab::engine::platform
