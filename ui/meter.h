// SPDX-License-Identifier: MIT
// Shows how much of something is used, as a row of marks.
#pragma once

#include <cstdint>
#include <string>

#include "ui/style.h"
#include "ui/text.h"

namespace confab::ui {

// Returns `width` marks, filled in proportion to the use. The first mark is filled by any use at
// all, and the last one only when everything is used.
std::string meter(std::int64_t used, std::int64_t size, Cols width);
// The role of a meter where full is bad: meter_mid from 70 %, meter_high from 90 %.
Role meter_role(std::int64_t used, std::int64_t size);

}  // namespace confab::ui
