// SPDX-License-Identifier: MIT
// What a generator computes before anybody asks.
#include <algorithm>
#include <cassert>

#include "engine/model/model.h"
#include "engine/run/generator.h"
#include "engine/run/likely_prompt.h"

namespace confab::engine {

void Generator::prepare(const PrepareRequest& request, const std::stop_token& stop) {
  assert(!is_busy());
  const std::vector<Token> prompt = likely_prompt(parts_.prompts, request, stop);
  if (prompt.empty() || prompt.size() >= static_cast<std::size_t>(decoder_.n_ctx())) return;
  parts_.model.gguf.guard();
  check_weights();
  CachedSequence& cached =
      parts_.cache.begin(prompt, {.origin = request.origin, .secret = !request.draft.empty()});
  try {
    read_ahead(cached, prompt, stop);
  } catch (...) {
    parts_.cache.drop(cached);
    throw;
  }
  parts_.cache.end(cached);
}

void Generator::read_ahead(CachedSequence& cached, std::span<const Token> prompt,
                           const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto rest = prompt.subspan(static_cast<std::size_t>(cached.sequence->n_tokens()));
    if (rest.empty()) return;
    const auto n = std::min(static_cast<std::size_t>(chunk_.n_tokens()), rest.size());
    const SequenceRun run{cached.sequence.get(), rest.first(n), LogitsOf::none};
    const Clock::time_point begin = drafting_.now();
    const RunEnd end = parts_.cache.run(
        {&run, 1}, [&](int) { return !decoder_.can_stop() || !stop.stop_requested(); });
    check_weights();
    if (end != RunEnd::done) continue;
    chunk_.record(static_cast<int>(n), drafting_.now() - begin);
    parts_.cache.grown(cached, true);
  }
}

}  // namespace confab::engine
