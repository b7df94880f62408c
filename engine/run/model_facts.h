// SPDX-License-Identifier: MIT
// What a model file says of itself.
#pragma once

#include <string>
#include <vector>

#include "engine/api/model_info.h"

namespace confab::engine {

class Gguf;

// What a model calls itself, else its file's name; as ModelInfo has it. Untrusted text.
std::string model_name(const Gguf& gguf);

// What it says under general.sampling.* of how it is to be sampled: numbers and texts; what else is
// there is left out.
std::vector<Recommendation> recommended_sampling(const Gguf& gguf);

}  // namespace confab::engine
