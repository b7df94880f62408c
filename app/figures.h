// SPDX-License-Identifier: MIT
// Numbers as text.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/size_text.h"

namespace confab::app {

// 12345 as "12,345".
std::string grouped(std::int64_t n);
// "1 line", "1,200 lines".
std::string counted(std::int64_t n, std::string_view noun);
// "59 s", "1:05 min".
std::string time_text(std::chrono::seconds time);
using engine::size_text;

}  // namespace confab::app
