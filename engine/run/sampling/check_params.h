// SPDX-License-Identifier: MIT
// What parameters of sampling may be.
#pragma once

#include "engine/api/sampler_params.h"

namespace confab::engine {

// Throws ModelError that names the first parameter out of its range, what was found and expected.
void check_params(const SamplerParams& params);

}  // namespace confab::engine
