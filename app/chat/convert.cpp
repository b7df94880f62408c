// SPDX-License-Identifier: MIT
#include "app/chat/convert.h"

#include <nlohmann/json.hpp>

namespace confab::app {

sessions::MessageStats to_message_stats(const engine::GenerateStats& stats) noexcept {
  return {.n_prompt = stats.n_prompt,
          .n_cached = stats.n_cached,
          .n_generated = stats.n_generated,
          .ttft = stats.ttft,
          .prefill = stats.prefill,
          .decode = stats.decode};
}

sessions::MessageState to_message_state(engine::FinishReason reason) noexcept {
  const bool ended =
      reason == engine::FinishReason::end_of_turn || reason == engine::FinishReason::stop_string;
  return ended ? sessions::MessageState::done : sessions::MessageState::stopped;
}

std::string to_json(const engine::SamplerParams& params) {
  nlohmann::ordered_json object{{"temperature", params.temperature},
                                {"top_k", params.top_k},
                                {"top_p", params.top_p},
                                {"min_p", params.min_p},
                                {"repeat_penalty", params.repeat_penalty},
                                {"frequency_penalty", params.frequency_penalty},
                                {"presence_penalty", params.presence_penalty},
                                {"repeat_last_n", params.repeat_last_n}};
  if (params.seed) object["seed"] = *params.seed;
  return object.dump();
}

}  // namespace confab::app
