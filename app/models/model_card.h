// SPDX-License-Identifier: MIT
// What a model file is, in a few lines: for choosing one.
#pragma once

#include <string>

#include "app/stores/stores.h"

namespace confab::app {

// Name, size, number format, layers and context as the file has them, whether it fits here and how
// fast it can be where memory gives read_gbs (0: not known), where it is from, and what goes with
// it; or what is wrong with the file. Of untrusted text; a line each.
std::string model_card(const FoundModel& model, double read_gbs);

}  // namespace confab::app
