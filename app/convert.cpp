// SPDX-License-Identifier: MIT
#include "app/convert.h"

#include <nlohmann/json.hpp>

namespace confab::app {

std::string_view role_name(sessions::Role role) noexcept {
  switch (role) {
    case sessions::Role::system:
      return "system";
    case sessions::Role::user:
      return "user";
    case sessions::Role::assistant:
      return "assistant";
    case sessions::Role::tool:
      return "tool";
  }
  return "user";
}

sessions::MessageStats to_message_stats(const engine::GenerateStats& stats) noexcept {
  return {.n_prompt = stats.n_prompt,
          .n_cached = stats.n_cached,
          .n_generated = stats.n_generated,
          .ttft = stats.ttft,
          .prefill = stats.prefill,
          .decode = stats.decode};
}

sessions::MessageState to_message_state(engine::FinishReason reason) noexcept {
  return reason == engine::FinishReason::cancelled ? sessions::MessageState::stopped
                                                   : sessions::MessageState::done;
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
