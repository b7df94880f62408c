// SPDX-License-Identifier: MIT
// What config.json says of mixtures of experts, under GGUF's keys. Source: llama.cpp's converter
// (conversion/base.py, qwen.py, deepseek.py).
#pragma once

#include "engine/safetensors/config_keys.h"
#include "engine/safetensors/model_config.h"

namespace confab::engine {

// Nothing where the model has none. Throws ModelError for mixtures that cannot be run.
void add_mixture(const ModelFamily& family, const ConfigKeys& to);

}  // namespace confab::engine
