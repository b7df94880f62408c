// SPDX-License-Identifier: MIT
// Numbers in words.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace confab::app {

// 12345 as "12,345".
std::string grouped(std::int64_t n);
// "1 line", "1,200 lines".
std::string counted(std::int64_t n, std::string_view noun);
// "59 s", "1:05 min".
std::string time_text(std::chrono::seconds time);
// 1234567 as "1.2 MiB".
std::string size_text(std::uint64_t bytes);

}  // namespace confab::app
