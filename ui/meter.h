// SPDX-License-Identifier: MIT
// How much of something is used, as a row of marks.
#pragma once

#include <cstdint>
#include <string>

#include "ui/style.h"
#include "ui/text.h"

namespace confab::ui {

// So many marks, filled in proportion; any use at all fills one, and only full fills the last.
std::string meter(std::int64_t used, std::int64_t size, Cols width);
// Of a meter where full is bad: from 70 % on meter_mid, from 90 % on meter_high.
Role meter_role(std::int64_t used, std::int64_t size);

}  // namespace confab::ui
