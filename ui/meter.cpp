// SPDX-License-Identifier: MIT
#include "ui/meter.h"

#include <algorithm>

namespace confab::ui {

std::string meter(std::int64_t used, std::int64_t size, Cols width) {
  const double share =
      size > 0 ? std::clamp(static_cast<double>(used) / static_cast<double>(size), 0.0, 1.0) : 0;
  int n = static_cast<int>(share * width.value);
  if (used > 0) n = std::max(n, 1);
  n = std::min(n, width.value);
  std::string out;
  for (int i = 0; i < width.value; ++i) out += i < n ? "▰" : "▱";
  return out;
}

Role meter_role(std::int64_t used, std::int64_t size) {
  if (size <= 0 || used * 10 < size * 7) return Role::meter_low;
  return used * 10 < size * 9 ? Role::meter_mid : Role::meter_high;
}

}  // namespace confab::ui
