// SPDX-License-Identifier: MIT
// What the header of a model file says, in the words that people compare models by.
#pragma once

#include <cstdint>
#include <string>

namespace confab::engine {
class Gguf;
}

namespace confab::app {

struct ModelSummary {
  std::string title = {};   // general.name; empty: it has none. Untrusted text, as the next two
  std::string family = {};  // general.architecture
  std::string type = {};    // its number format: "Q4_K_M", else that of most weights
  std::int64_t n_parameters = 0;
  std::int64_t n_layers = 0;  // 0: it does not say, as in the next
  std::int64_t n_ctx = 0;     // that it was made for
  bool has_template = false;
};

// Throws ModelError for keys of the wrong type.
ModelSummary summary_of(const engine::Gguf& file);

// "7.6B", "46M"; empty for none.
std::string parameters_text(std::int64_t n);

}  // namespace confab::app
