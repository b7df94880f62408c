// SPDX-License-Identifier: MIT
// The answer to a request of a batch as a line of JSON, in the format that the request has: one of
// confab's, or of OpenAI's batches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/batch/batch_input.h"
#include "engine/api/events.h"

namespace confab::app {

struct BatchAnswer {
  std::string text = {};
  std::string reasoning = {};
  engine::FinishReason reason{};
  engine::GenerateStats stats = {};
  std::vector<std::string> refused = {};  // what was wrong with the answers before
};

// By the limit of tokens, or the context's.
bool is_cut_off(engine::FinishReason reason) noexcept;

// {"line", "id", "answer", "reasoning", "finish_reason", "statistics", "refused"}, or {"id",
// "custom_id", "response": {...}, "error": null}. `created`: seconds since 1970.
std::string answer_line(const BatchEntry& entry, const BatchAnswer& answer,
                        const std::string& model, std::int64_t created);
// {"line", "id", "error"}, or {"id", "custom_id", "response": null, "error": {...}}.
std::string error_line(const BatchEntry& entry, const std::string& fault);

}  // namespace confab::app
