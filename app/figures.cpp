// SPDX-License-Identifier: MIT
#include "app/figures.h"

#include <fmt/format.h>

#include <array>

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

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace confab::app
