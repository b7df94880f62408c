// SPDX-License-Identifier: MIT
#include "app/tools/fit.h"

#include <fmt/format.h>

#include <optional>

#include "app/exit_status.h"
#include "app/figures.h"
#include "app/models/inference.h"
#include "app/tools/bandwidth.h"
#include "app/tools/fit_report.h"
#include "app/tools/fit_table.h"
#include "engine/run/draft_loader.h"
#include "engine/run/model_facts.h"

namespace confab::app {
namespace {

using engine::platform::MemoryFacts;

std::optional<engine::MemoryRoom> given_room(const FitOptions& options) {
  if (!options.memory_bytes) return std::nullopt;
  return engine::memory_room({.estimate_bytes = *options.memory_bytes});
}

// All that is known before the weights are read; what cannot fit is planned all the same.
FitReport plan_model(const FitOptions& options) {
  const MemoryFacts facts = engine::platform::memory_facts();
  engine::LoadOptions load = load_options(options.model);
  load.force = true;
  const bool own_head = load.draft.heads && load.draft.path.empty();
  const auto model = engine::Model::load(
      load.path, own_head ? engine::NextnHead::kept : engine::NextnHead::left_out, load.rope);
  const auto draft = load.draft.wanted ? engine::Model::load(load.draft.path,
                                                             engine::NextnHead::left_out, load.rope)
                                       : nullptr;
  const auto room = given_room(options);
  FitReport report{
      .name = engine::model_name(model->gguf), .facts = facts, .is_this_machine = !room};
  report.plan = room ? engine::plan_context(*model, load, *room, draft.get())
                     : engine::plan_context(*model, load, draft.get());
  report.n_layer = model->hparams.n_layer;
  if (!room) report.devices = engine::fit_on_devices(*model, report.plan, options.model.device);
  const engine::MemoryPlan& memory = report.plan.memory;
  if (!memory.fits() && !memory.fits_but_for_experts()) {
    report.advice = engine::plan_advice(*model, load, report.plan, draft.get());
    return report;
  }
  load.force = false;
  report.draft = engine::load_draft(*model, report.plan, load).notice;
  model->gguf.check();
  return report;
}

int show_table(const FitOptions& options, std::ostream& out) {
  const kernels::KernelTable& table = chosen_kernel_table();
  kernels::ThreadPool pool(options.model.n_threads > 0 ? options.model.n_threads
                                                       : kernels::usable_cores());
  const MemoryFacts facts = engine::platform::memory_facts();
  const double read_gbs = measure_read_gbs(pool, table, bytes_beyond_caches());
  const std::uint64_t bytes = given_room(options).value_or(engine::memory_room(facts)).bytes;
  const std::vector<FitRow> rows = fit_rows(bytes, read_gbs);
  if (options.json) {
    print_fit_table_json(rows, bytes, read_gbs, out);
    return 0;
  }
  const std::string whose = options.memory_bytes
                                ? fmt::format("of a machine with {} free",  //
                                              size_text(*options.memory_bytes))
                                : std::string("that may be taken on this machine now");
  print_fit_table(rows,
                  fmt::format("{} of memory {}, read at {:.1f} GB/s{}", size_text(bytes), whose,
                              read_gbs, options.memory_bytes ? " as here" : ""),
                  out);
  return 0;
}

}  // namespace

int run_fit(const FitOptions& options, std::ostream& out) {
  if (options.table) return show_table(options, out);
  const FitReport report = plan_model(options);
  if (options.json)
    print_fit_json(report, out);
  else
    print_fit(report, out);
  return static_cast<int>(report.advice.empty() ? ExitStatus::success : ExitStatus::does_not_fit);
}

}  // namespace confab::app
