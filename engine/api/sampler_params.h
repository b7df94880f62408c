// SPDX-License-Identifier: MIT
// How the next token is picked. engine/run/sampler.h says in which order.
#pragma once

#include <cstdint>
#include <optional>

namespace confab::engine {

struct SamplerParams {
  bool operator==(const SamplerParams&) const = default;

  float temperature = 0.8F;
  int top_k = 40;            // 0: off
  float top_p = 0.95F;       // 1: off
  float min_p = 0.05F;       // 0: off
  float repeat_penalty = 1;  // 1: off; divides positive logits of recent tokens
  float frequency_penalty = 0;
  float presence_penalty = 0;
  int repeat_last_n = 64;                  // how many recent tokens the penalties look at
  std::optional<std::uint64_t> seed = {};  // none: a fresh one each time
};

}  // namespace confab::engine
