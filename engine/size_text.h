// SPDX-License-Identifier: MIT
// Sizes of memory and files in words.
#pragma once

#include <cstdint>
#include <string>

namespace confab::engine {

// 1234567 as "1.2 MiB".
std::string size_text(std::uint64_t bytes);

}  // namespace confab::engine
