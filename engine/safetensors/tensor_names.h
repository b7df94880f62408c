// SPDX-License-Identifier: MIT
// GGUF's names for tensors that have those of Hugging Face's classes. Source: llama.cpp,
// gguf-py/gguf/tensor_mapping.py.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/safetensors/model_config.h"

namespace confab::engine {

// The end of what the biases of kGateUpPairs are called here, [n_expert, n_ff, 2] for what GGUF has
// in two tensors.
inline constexpr std::string_view kGateUpPairBiases = "ffn_gate_up_pairs.bias";

// Empty: it is not needed (images, angles of rotations, a second output). nullopt: unknown.
std::optional<std::string> gguf_name(std::string_view name, const ModelConfig& config);

}  // namespace confab::engine
