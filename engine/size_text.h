// SPDX-License-Identifier: MIT
// Formats sizes of memory and files.
#pragma once

#include <cstdint>
#include <string>

namespace confab::engine {

// Formats 1234567 as "1.2 MiB".
std::string size_text(std::uint64_t bytes);

}  // namespace confab::engine
