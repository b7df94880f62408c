// SPDX-License-Identifier: MIT
#include "app/tools/device_run.h"

#include <algorithm>

#include "app/copy_watch.h"
#include "app/progress_line.h"
#include "engine/error.h"

namespace confab::app {

std::unique_ptr<DeviceRun> DeviceRun::make(Inference& inference, const ModelOptions& options,
                                           int n_sequences) {
  ui::Signals signals;  // while weights are copied; later ones act by themselves
  engine::LoadOptions load = load_options(options);
  load.on_copied = watch_copying(signals, OnInterrupt::ends)();
  engine::ContextPlan plan = engine::plan_context(inference.model(), load);
  plan.n_pages = std::max(plan.n_pages, (n_sequences + 1) * engine::count_blocks(plan.n_ctx));
  plan.n_logits = std::max(plan.n_logits, n_sequences);
  plan.n_batch = std::max(plan.n_batch, n_sequences);
  auto made = std::unique_ptr<DeviceRun>(new DeviceRun(std::move(plan)));
  // What goes on on the processor would be measured as the device's.
  made->chosen_ =
      engine::choose_device({inference.model(), made->plan_, inference.table(), inference.pool()},
                            load, [](const std::string& why) { throw engine::ModelError(why); });
  if (const int status = status_asked_for(signals); status != 0) throw Interrupted(status);
  if (!made->chosen_.decoder) return nullptr;
  made->sequence_ = made->decoder().make_sequence();
  return made;
}

void DeviceRun::run(std::span<const engine::Token> tokens, int n_piece, engine::LogitsOf logits) {
  const auto n_most = static_cast<std::size_t>(std::min(n_piece, plan_.n_batch));
  while (!tokens.empty()) {
    const engine::SequenceRun run{sequence_.get(), tokens.first(std::min(n_most, tokens.size())),
                                  logits};
    decoder().run({&run, 1}, [](int) { return true; });
    tokens = tokens.subspan(run.tokens.size());
  }
}

std::vector<engine::ProgramRun> DeviceRun::trace(std::span<const engine::Token> tokens) {
  const engine::SequenceRun run{sequence_.get(), tokens, engine::LogitsOf::last_token};
  std::vector<engine::ProgramRun> programs;
  decoder().trace({&run, 1}, programs);
  return programs;
}

}  // namespace confab::app
