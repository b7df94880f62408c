// SPDX-License-Identifier: MIT
#include "app/models/recommended.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

#include "app/models/inference.h"
#include "app/models/ollama_defaults.h"
#include "engine/gguf/gguf.h"
#include "engine/run/model_facts.h"
#include "engine/safetensors/open_model.h"

namespace confab::app {

std::vector<engine::Recommendation> recommended_sampling(const ModelOptions& options) {
  try {
    const std::string path = model_path(options);
    std::vector<engine::Recommendation> found =
        ollama_defaults(Places::of_this_machine(), options.path, path).recommended.sampling;
    std::ranges::move(engine::recommended_sampling(engine::open_model(path)),
                      std::back_inserter(found));
    return found;
  } catch (const std::runtime_error&) {
    return {};
  }
}

}  // namespace confab::app
