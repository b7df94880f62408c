// SPDX-License-Identifier: MIT
#include "app/tools/fit.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>

#include "app/exit_status.h"
#include "app/figures.h"
#include "app/models/inference.h"
#include "app/tools/bandwidth.h"
#include "app/tools/fit_table.h"
#include "base/json.h"
#include "engine/fit/advice.h"
#include "engine/run/draft_loader.h"
#include "engine/run/model_facts.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using base::Json;

using engine::MemoryPlan;
using engine::platform::MemoryFacts;

std::string row(std::string_view what, std::uint64_t bytes, std::string_view more = {}) {
  return fmt::format("  {:<36}{:>10}{}\n", what, size_text(bytes), more);
}

std::string cache_types(const engine::ContextPlan& plan) {
  return fmt::format("{}/{}", kernels::info(plan.type_k).name, kernels::info(plan.type_v).name);
}

std::string plan_text(const engine::ContextPlan& plan) {
  const MemoryPlan& memory = plan.memory;
  std::string text = row("weights, mapped from the file", memory.weights_bytes);
  if (memory.expert_bytes > 0) {
    text += row("  of these, all experts", memory.expert_bytes);
    text += row("  those that a token uses", memory.expert_token_bytes);
    text += row("  what stays in memory for all", memory.resident_bytes());
  }
  text += row(fmt::format("KV cache ({})", cache_types(plan)), memory.kv_bytes);
  text += row("scratch", memory.scratch_bytes);
  if (memory.draft_bytes > 0) text += row("draft model", memory.draft_bytes);
  text += row("to be taken", memory.total_bytes());
  if (memory.process_bytes > 0)
    text +=
        row("the program, with the vocabulary", memory.process_bytes + memory.process_mapped_bytes);
  return text + row("at its peak", memory.peak_bytes(),
                    fmt::format(": {} anonymous, {} mapped", size_text(memory.anonymous_bytes()),
                                size_text(memory.mapped_bytes())));
}

std::string machine_text(const MemoryFacts& facts) {
  constexpr std::uint64_t kUnknown = engine::platform::kUnknownBytes;
  std::string text = "\nmemory of this machine\n";
  if (facts.physical_bytes != kUnknown) text += row("physical", facts.physical_bytes);
  if (facts.estimate_bytes != kUnknown)
    text += row("free, or cache that can go", facts.estimate_bytes);
  if (facts.mapped_bytes > 0) text += row("  of that, mapped by programs", facts.mapped_bytes);
  if (facts.group) {
    text += row("limit of control group", facts.group->limit_bytes,
                "  " + ui::sanitize(facts.group->group));
    text += row("  left of it", facts.group->left_bytes);
  }
  if (facts.address_space) {
    text += row("limit on address space", facts.address_space->limit_bytes, "  ulimit -v");
    text += row("  left of it", facts.address_space->left_bytes);
  }
  if (facts.swap_bytes > 0) text += row("swap", facts.swap_bytes);
  if (facts.swap_used_bytes > 0) text += row("  in use", facts.swap_used_bytes);
  if (facts.available_bytes() == kUnknown) return text + "  nobody says how much is available\n";
  const char* decides = facts.group_decides()           ? "  by the control group"
                        : facts.address_space_decides() ? "  by the limit on address space"
                                                        : "";
  return text + row("available", facts.available_bytes(), decides);
}

std::string device_text(const engine::DeviceFit& fit, int n_layer) {
  const std::string name = ui::one_line(fit.name);
  if (!fit.refusal.empty()) return fmt::format("  {} {}\n", name, ui::one_line(fit.refusal));
  const std::string layers = fit.n_layers == n_layer
                                 ? fmt::format("all {} layers", n_layer)
                                 : fmt::format("the last {} of {} layers", fit.n_layers, n_layer);
  return fmt::format("  {} has room for {}: {} of {} that are free\n", name, layers,
                     size_text(fit.bytes), size_text(fit.available_bytes));
}

std::string devices_text(const FitReport& report) {
  if (report.devices.empty()) return {};
  std::string text = "\ngraphics processors\n";
  for (const engine::DeviceFit& fit : report.devices) text += device_text(fit, report.n_layer);
  return text;
}

Json devices_json(const FitReport& report) {
  Json list = Json::array();
  for (const engine::DeviceFit& fit : report.devices) {
    list.push_back({{"name", ui::one_line(fit.name)},
                    {"n_layers", fit.n_layers},
                    {"bytes", fit.bytes},
                    {"available_bytes", fit.available_bytes}});
    if (!fit.refusal.empty()) list.back()["refusal"] = ui::one_line(fit.refusal);
  }
  return list;
}

Json machine_json(const MemoryFacts& facts) {
  Json json = {{"physical_bytes", facts.physical_bytes},
               {"estimate_bytes", facts.estimate_bytes},
               {"mapped_bytes", facts.mapped_bytes},
               {"swap_bytes", facts.swap_bytes},
               {"swap_used_bytes", facts.swap_used_bytes}};
  if (facts.address_space)
    json["address_space"] = {{"limit_bytes", facts.address_space->limit_bytes},
                             {"left_bytes", facts.address_space->left_bytes}};
  if (facts.group)
    json["group"] = {{"name", ui::sanitize(facts.group->group)},
                     {"limit_bytes", facts.group->limit_bytes},
                     {"left_bytes", facts.group->left_bytes}};
  return json;
}

std::optional<engine::MemoryRoom> given_room(const FitOptions& options) {
  if (!options.memory_bytes) return std::nullopt;
  return engine::memory_room({.estimate_bytes = *options.memory_bytes});
}

// Everything that is known before the weights are read. A model that cannot fit is planned as well.
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

std::string verdict(const FitReport& report) {
  const MemoryPlan& memory = report.plan.memory;
  const std::string needed = size_text(memory.total_bytes());
  if (memory.available_bytes == engine::platform::kUnknownBytes)
    return fmt::format("it takes {}; nobody says how much is available", needed);
  const std::string available = size_text(memory.available_bytes);
  if (!report.advice.empty())
    return fmt::format("does not fit: {} needed, {} free: {}", needed, available, report.advice);
  if (!memory.fits()) return "fits but for its experts: " + report.plan.notice;
  const std::string shorter = report.plan.notice.empty() ? "" : "; " + report.plan.notice;
  return fmt::format("fits: it takes {} of the {} that may be taken{}", needed, available, shorter);
}

void print_fit(const FitReport& report, std::ostream& out) {
  out << fmt::format("{}, with a context of {} tokens\n", ui::sanitize(report.name),
                     grouped(report.plan.n_ctx))
      << plan_text(report.plan);
  if (report.is_this_machine) out << machine_text(report.facts) << devices_text(report);
  if (!report.draft.empty()) out << '\n' << ui::sanitize(report.draft) << '\n';
  out << '\n' << ui::sanitize(verdict(report)) << '\n';
}

void print_fit_json(const FitReport& report, std::ostream& out) {
  const MemoryPlan& memory = report.plan.memory;
  Json json = {{"model", ui::sanitize(report.name)},
               {"n_ctx", report.plan.n_ctx},
               {"cache_type_k", kernels::info(report.plan.type_k).name},
               {"cache_type_v", kernels::info(report.plan.type_v).name},
               {"fits", memory.fits()},
               {"verdict", ui::sanitize(verdict(report))},
               {"weights_bytes", memory.weights_bytes},
               {"expert_bytes", memory.expert_bytes},
               {"expert_token_bytes", memory.expert_token_bytes},
               {"resident_bytes", memory.resident_bytes()},
               {"kv_bytes", memory.kv_bytes},
               {"scratch_bytes", memory.scratch_bytes},
               {"draft_bytes", memory.draft_bytes},
               {"process_bytes", memory.process_bytes + memory.process_mapped_bytes},
               {"total_bytes", memory.total_bytes()},
               {"peak_anonymous_bytes", memory.anonymous_bytes()},
               {"peak_mapped_bytes", memory.mapped_bytes()},
               {"available_bytes", memory.available_bytes},
               {"disk_bytes_per_second", report.plan.disk_rate}};
  if (report.is_this_machine) {
    json["n_layer"] = report.n_layer;
    json["devices"] = devices_json(report);
    json["machine"] = machine_json(report.facts);
  }
  out << json.dump(2) << '\n';
}

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
