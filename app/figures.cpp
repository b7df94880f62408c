// SPDX-License-Identifier: MIT
#include "app/figures.h"

#include <fmt/format.h>

namespace confab::app {

std::string grouped(std::int64_t n) {
  const std::string digits = fmt::format("{}", n < 0 ? -n : n);
  std::string text = n < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(n), noun, n == 1 ? "" : "s");
}

std::string time_text(std::chrono::seconds time) {
  const auto n = time.count();
  return n < 60 ? fmt::format("{} s", n) : fmt::format("{}:{:02} min", n / 60, n % 60);
}

}  // namespace confab::app
