// SPDX-License-Identifier: MIT
// What a model that loads is asked for by fuzz targets: its plan, its text, a few tokens.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "engine/cache/kv_cache.h"
#include "engine/cpu/forward.h"
#include "engine/model/model.h"
#include "engine/prompt/prompt.h"
#include "engine/run/context_plan.h"
#include "engine/run/local_chat_model.h"
#include "kernels/isa.h"

namespace confab {

inline void use_text(const engine::Model& model) {
  const auto ids = model.tokenizer->encode("Hello <|im_start|> w\xC3\xB6rld\n\n 123", true);
  model.tokenizer->decode(ids, true);
  const auto source = engine::choose_template(model.gguf, *model.tokenizer, "");
  const engine::PromptBuilder prompts(*model.tokenizer, source.text);
  prompts.build({engine::Turn{{"user", "Hello"}, {}}});
}

inline void run_model(const engine::Model& model) {
  constexpr int kContext = 32;
  // What a mutation makes large but does not make wrong is loaded and not run.
  constexpr std::uint64_t kMaxRunBytes = std::uint64_t{64} << 20U;
  static kernels::ThreadPool pool(1);
  const auto& table = *kernels::kernel_table(kernels::Isa::scalar);
  engine::LoadOptions options;
  options.n_ctx = kContext;
  options.n_threads = 1;
  options.n_batch = 4;
  const engine::ContextPlan plan =
      engine::plan_context(model, options, std::numeric_limits<std::uint64_t>::max());
  if (plan.memory.kv_bytes + plan.memory.scratch_bytes > kMaxRunBytes) return;
  engine::KvCache cache(model.hparams, plan.n_ctx, plan.type_k, plan.type_v);
  const int last = model.hparams.n_vocab - 1;
  for (const bool exact : {true, false}) {
    engine::Forward forward(model, table, pool, plan.n_ctx, {.n_batch = 4, .exact = exact});
    forward.run(cache, std::array<engine::Token, 3>{0, last, last / 2},
                engine::LogitsOf::last_token);
    forward.run(cache, std::array<engine::Token, 1>{last}, engine::LogitsOf::last_token);
  }
}

inline void try_model(const engine::Model& model) {
  run_model(model);
  use_text(model);
}

}  // namespace confab
