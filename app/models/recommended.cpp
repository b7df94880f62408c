// SPDX-License-Identifier: MIT
#include "app/models/recommended.h"

#include <stdexcept>

#include "app/models/inference.h"
#include "engine/gguf/gguf.h"
#include "engine/run/model_facts.h"

namespace confab::app {

std::vector<engine::Recommendation> recommended_sampling(const ModelOptions& options) {
  try {
    return engine::recommended_sampling(engine::Gguf(model_path(options)));
  } catch (const std::runtime_error&) {
    return {};
  }
}

}  // namespace confab::app
