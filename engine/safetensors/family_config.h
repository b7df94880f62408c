// SPDX-License-Identifier: MIT
// What config.json says that only some families of models have, under GGUF's keys: windows, scales,
// caps, latent attention, delta nets. Source: llama.cpp's converter (conversion/).
#pragma once

#include "engine/safetensors/config_keys.h"

namespace confab::engine {

// Throws ModelError for variants of a family that cannot be run.
void add_family_keys(const ConfigKeys& to);

}  // namespace confab::engine
