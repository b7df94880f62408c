// SPDX-License-Identifier: MIT
#include "app/tools/models_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <ostream>

#include "app/error.h"
#include "app/models/inference.h"
#include "app/models/model_finder.h"
#include "app/models/read_speed.h"
#include "app/tools/bandwidth.h"
#include "app/tools/models_table.h"
#include "engine/platform/memory.h"
#include "engine/run/context_plan.h"

namespace confab::app {
namespace {

// Empty when there is none of that name, which `err` is told.
std::filesystem::path file_of(const ModelOptions& chosen, std::ostream& err) {
  try {
    const std::filesystem::path file = model_path(chosen);
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file;
    throw UserError(fmt::format("{}: no such file", file.string()));
  } catch (const UserError& fault) {
    err << fmt::format("confab: {}\n", ui::sanitize(fault.what()));  // may be several lines
    return {};
  }
}

// Units of 1e9 bytes a second, as kept, or measured now; 0: neither can be.
double read_gbs(const ModelOptions& options) {
  const kernels::KernelTable& table = chosen_kernel_table();
  const int n_threads = options.n_threads > 0 ? options.n_threads : kernels::usable_cores();
  const ReadSpeedKey key{.n_threads = n_threads, .isa = kernels::name(table.isa)};
  const std::filesystem::path file = read_speed_file();
  const double kept = kept_read_gbs(file, key);
  if (kept > 0 && is_read_speed_fresh(file)) return kept;
  try {
    kernels::ThreadPool pool(n_threads);
    const double measured = std::max(kept, measure_read_gbs(pool, table, bytes_beyond_caches()));
    keep_read_gbs(file, key, measured);
    return measured;
  } catch (const std::bad_alloc&) {
    return kept;
  }
}

void tell(const std::vector<ModelRow>& rows, double gbs, std::ostream& err) {
  for (const ModelRow& row : rows)
    if (!row.facts.fault.empty())
      err << fmt::format("{} cannot be run: {}\n", ui::one_line(row.model.name),
                         ui::one_line(row.facts.fault));
  err << "* marks the default model; to use another: confab -m NAME\n";
  if (gbs > 0)
    err << fmt::format("TOK/S is the most that reading memory at {:.1f} GB/s allows\n", gbs);
  if (rows.size() < 2) err << "To add a model, save a GGUF file in ~/.local/share/confab/models\n";
}

}  // namespace

int run_models(const ModelsOptions& options, ui::Cols width, std::ostream& out, std::ostream& err) {
  const std::filesystem::path current = file_of(options.model, err);
  const FoundFiles found = find_files(
      Places::of_this_machine(),
      {.current = current, .revisions = options.all_revisions ? Revisions::all : Revisions::main});
  const engine::MemoryRoom room = engine::memory_room(engine::platform::memory_facts());
  std::vector<ModelRow> rows;
  const FoundModel* const by_default = model_in_use(found.models, options.model.path, current);
  for (const FoundModel& model : found.models)
    rows.push_back({model, facts_of(model.path.string(), room), &model == by_default});
  const double gbs = read_gbs(options.model);
  for (const std::string& note : found.notes) err << ui::one_line(note) << '\n';
  if (options.json) {
    print_models_json(rows, gbs, out);
  } else {
    print_models(rows, gbs, width, out);
    tell(rows, gbs, err);
  }
  return rows.empty() ? 1 : 0;
}

}  // namespace confab::app
