// SPDX-License-Identifier: MIT
// What a model file is, in a few lines: for choosing one.
#pragma once

#include <string>

namespace confab::app {

// Name, size, number format, layers and context as the file has them, and its path; or what is
// wrong with the file. Of untrusted text; a line each.
std::string model_card(const std::string& path);

}  // namespace confab::app
