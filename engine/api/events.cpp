// SPDX-License-Identifier: MIT
#include "engine/api/events.h"

#include <algorithm>
#include <utility>

namespace confab::engine {
namespace {

double per_second(int n_tokens, std::chrono::duration<double> time) noexcept {
  return n_tokens > 0 && time.count() > 0 ? n_tokens / time.count() : 0;
}

}  // namespace

double GenerateStats::major_faults_per_token() const noexcept {
  return static_cast<double>(n_major_faults) / std::max(1, n_generated);
}

void append(const ReasoningDelta& delta, std::string& reasoning, std::string& text) {
  if (delta.takes_back) reasoning += std::exchange(text, {});
  reasoning += delta.text;
  if (delta.takes_back) reasoning.resize(reasoning.find_last_not_of(" \t\r\n") + 1);
}

bool is_end(const Event& event) noexcept {
  return std::holds_alternative<Finished>(event) || std::holds_alternative<Scored>(event) ||
         std::holds_alternative<Failed>(event);
}

double GenerateStats::tokens_per_pass() const noexcept {
  return n_passes > 0 ? 1 + static_cast<double>(n_accepted) / n_passes : 0;
}

double GenerateStats::prefill_tps() const noexcept {
  return per_second(n_prompt - n_cached, prefill);
}
double GenerateStats::decode_tps() const noexcept {
  return per_second(n_generated - 1, decode);
}

}  // namespace confab::engine
