// SPDX-License-Identifier: MIT
// Numbers in words.
#pragma once

#include <cstdint>
#include <string>

namespace confab::app {

// 12345 as "12,345".
std::string grouped(std::int64_t n);
// 1234567 as "1.2 MiB".
std::string size_text(std::uint64_t bytes);

}  // namespace confab::app
