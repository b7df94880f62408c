// SPDX-License-Identifier: MIT
// A token by its number in the model's vocabulary.
#pragma once

#include <cstdint>

namespace confab::engine {

using Token = std::int32_t;

}  // namespace confab::engine
