// SPDX-License-Identifier: MIT
#include "app/chat/convert.h"

#include <variant>

#include "app/parameters.h"
#include "base/json.h"

namespace confab::app {
namespace {

template <class To, class From>
To to_count(const From& count) noexcept {
  return {.n_drafted = count.n_drafted, .n_accepted = count.n_accepted};
}

}  // namespace

sessions::MessageStats to_message_stats(const engine::GenerateStats& stats) noexcept {
  return {.n_prompt = stats.n_prompt,
          .n_cached = stats.n_cached,
          .n_generated = stats.n_generated,
          .n_passes = stats.n_passes,
          .n_drafted = stats.n_drafted,
          .n_accepted = stats.n_accepted,
          .by_lookup = to_count<sessions::DraftCount>(stats.by_lookup),
          .by_model = to_count<sessions::DraftCount>(stats.by_model),
          .by_heads = to_count<sessions::DraftCount>(stats.by_heads),
          .ttft = stats.ttft,
          .prefill = stats.prefill,
          .decode = stats.decode};
}

engine::GenerateStats to_generate_stats(const sessions::MessageStats& stats) noexcept {
  return {.n_prompt = stats.n_prompt,
          .n_cached = stats.n_cached,
          .n_generated = stats.n_generated,
          .n_passes = stats.n_passes,
          .n_drafted = stats.n_drafted,
          .n_accepted = stats.n_accepted,
          .by_lookup = to_count<engine::DraftCount>(stats.by_lookup),
          .by_model = to_count<engine::DraftCount>(stats.by_model),
          .by_heads = to_count<engine::DraftCount>(stats.by_heads),
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
  base::Json object = base::Json::object();
  AnswerOptions options;
  options.sampling = params;
  for (const Parameter& parameter : parameters()) {
    if (std::holds_alternative<int AnswerOptions::*>(parameter.member)) continue;
    const std::string value = value_text(parameter, options);
    if (value.empty()) continue;
    if (is_list(parameter))
      object[parameter.name] = value;
    else
      object[parameter.name] = base::Json::parse(value);
  }
  return object.dump();
}

}  // namespace confab::app
