// SPDX-License-Identifier: MIT
#include "app/tools/models_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <new>
#include <ostream>
#include <span>
#include <string>

#include "app/error.h"
#include "app/figures.h"
#include "app/models/inference.h"
#include "app/models/model_finder.h"
#include "app/models/read_speed.h"
#include "app/paths.h"
#include "app/tools/bandwidth.h"
#include "base/json.h"
#include "engine/platform/memory.h"
#include "engine/run/context_plan.h"

namespace confab::app {
namespace {

using base::Json;

constexpr ui::Cols kGap{2};         // blanks between columns
constexpr ui::Cols kLeastName{32};  // width of names that other columns make room for

// "yes", or the context if it is shorter than a model of this kind usually gets.
std::string fits_text(const ModelFacts& facts) {
  constexpr int kUsual = 8192;
  if (!facts.fault.empty()) return "cannot run";
  if (facts.fit == Fit::unknown) return "";
  if (facts.fit != Fit::whole) return std::string(name_of(facts.fit));
  const bool is_short = facts.n_ctx < kUsual && facts.n_ctx < facts.summary.n_ctx;
  return is_short ? fmt::format("to {} tokens", grouped(facts.n_ctx)) : "yes";
}

struct Column {
  std::string header;
  int leaves;  // order of removal when there is no room, from 1; 0: never removed
  bool is_right = false;
  std::string (*cell)(const ModelRow& row, double read_gbs);
  ui::Cols width{0};
};

std::vector<Column> all_columns() {
  return {
      {"NAME", 0, false, [](const ModelRow& row, double) { return row.model.name; }},
      {"FAMILY", 2, false, [](const ModelRow& row, double) { return row.facts.summary.family; }},
      {"PARAMS", 5, true,
       [](const ModelRow& row, double) { return parameters_text(row.facts.summary.n_parameters); }},
      {"TYPE", 6, false, [](const ModelRow& row, double) { return row.facts.summary.type; }},
      {"SIZE", 0, true, [](const ModelRow& row, double) { return size_text(row.model.bytes); }},
      {"CONTEXT", 3, true,
       [](const ModelRow& row, double) {
         return row.facts.summary.n_ctx > 0 ? grouped(row.facts.summary.n_ctx) : "";
       }},
      {"FITS", 0, false, [](const ModelRow& row, double) { return fits_text(row.facts); }},
      {"TOK/S", 7, true,
       [](const ModelRow& row, double gbs) {
         return speed_text(row.facts.tokens_per_second(gbs));
       }},
      {"FROM", 4, false,
       [](const ModelRow& row, double) { return std::string(name_of(row.model.store)); }},
      {"FILE", 1, false,
       [](const ModelRow& row, double) { return shorten_home(row.model.path.string()); }},
  };
}

// The text of a cell on one line, sanitised since it comes from files and folders.
std::string cell_of(const Column& column, const ModelRow& row, double read_gbs) {
  return ui::one_line(column.cell(row, read_gbs));
}

ui::Cols width_of(std::span<const Column> columns) {
  ui::Cols all{0};
  for (const Column& column : columns) all = {all.value + kGap.value + column.width.value};
  return all;
}

// The columns that fit, with their widths.
std::vector<Column> fitting_columns(const std::vector<ModelRow>& rows, double read_gbs,
                                    ui::Cols width) {
  std::vector<Column> columns = all_columns();
  for (Column& column : columns) {
    column.width = ui::width(column.header);
    for (const ModelRow& row : rows)
      column.width = std::max(column.width, ui::width(cell_of(column, row, read_gbs)));
  }
  if (width.value <= 0) return columns;
  const ui::Cols longest = columns.front().width;
  columns.front().width = std::min(longest, kLeastName);
  for (int next = 1; width_of(columns) > width && next <= 7; ++next)
    std::erase_if(columns, [&](const Column& column) { return column.leaves == next; });
  const int room = width.value - width_of(columns).value + columns.front().width.value;
  columns.front().width = std::clamp(ui::Cols{room}, ui::Cols{8}, std::max(longest, ui::Cols{8}));
  return columns;
}

std::string padded(const std::string& text, const Column& column, bool is_last) {
  const std::string shown = ui::ellipsize(text, column.width);
  const auto n_blanks =
      static_cast<std::size_t>(std::max(0, column.width.value - ui::width(shown).value));
  const std::string blanks(n_blanks, ' ');
  if (column.is_right) return blanks + shown;
  return is_last ? shown : shown + blanks;
}

template <typename F>
std::string line_of(const std::vector<Column>& columns, char mark, F cell) {
  std::string line(1, mark);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    line += std::string(static_cast<std::size_t>(i == 0 ? 1 : kGap.value), ' ');
    line += padded(cell(columns[i]), columns[i], i + 1 == columns.size());
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

// The lines below a model's row.
std::string lines_below(const FoundModel& model, ui::Cols width) {
  std::string text;
  const auto add = [&](std::string_view what, const std::string& name) {
    const std::string line = fmt::format("    {} {}", what, ui::one_line(name));
    text += ui::ellipsize(line, width) + '\n';
  };
  for (const std::string& name : model.also) add("also", name);
  for (const Sidecar& draft : model.drafts) add("draft", draft.name);
  return text;
}

Json number_or_null(bool is_known, auto value) {
  return is_known ? Json(value) : Json(nullptr);
}
Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(ui::sanitize(text));
}

Json as_json(const std::vector<Sidecar>& sidecars) {
  Json array = Json::array();
  for (const Sidecar& one : sidecars)
    array.push_back({{"name", ui::sanitize(one.name)}, {"path", ui::sanitize(one.path.string())}});
  return array;
}

Json as_json(const ModelRow& row, double read_gbs) {
  const FoundModel& model = row.model;
  const ModelFacts& facts = row.facts;
  const ModelSummary& summary = facts.summary;
  const bool is_planned = facts.needed_bytes > 0;
  const double speed = facts.tokens_per_second(read_gbs);
  Json also = Json::array();
  for (const std::string& name : model.also) also.push_back(ui::sanitize(name));
  return {{"name", ui::sanitize(model.name)},
          {"also", also},
          {"default", row.is_default},
          {"title", text_or_null(summary.title)},
          {"family", text_or_null(summary.family)},
          {"parameters", number_or_null(summary.n_parameters > 0, summary.n_parameters)},
          {"type", text_or_null(summary.type)},
          {"bytes", model.bytes},
          {"n_ctx_train", number_or_null(summary.n_ctx > 0, summary.n_ctx)},
          {"fits", text_or_null(name_of(facts.fit))},
          {"n_ctx", number_or_null(is_planned, facts.n_ctx)},
          {"needed_bytes", number_or_null(is_planned, facts.needed_bytes)},
          {"tokens_per_second", number_or_null(speed > 0, speed)},
          {"from", name_of(model.store)},
          {"path", ui::sanitize(model.path.string())},
          {"drafts", as_json(model.drafts)},
          {"projectors", as_json(model.projectors)},
          {"fault", text_or_null(facts.fault)}};
}

// Returns an empty path if no model has that name, which is reported on `err`.
std::filesystem::path file_of(const ModelOptions& chosen, std::ostream& err) {
  try {
    const std::filesystem::path file = model_path(chosen);
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file;
    throw UserError(fmt::format("{}: no such file", file.string()));
  } catch (const UserError& fault) {
    err << fmt::format("confab: {}\n", ui::sanitize(fault.what()));  // may have several lines
    return {};
  }
}

// The kept bandwidth, or a new measurement, in units of 1e9 bytes per second; 0 if neither is
// possible.
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

void print_models(const std::vector<ModelRow>& rows, double read_gbs, ui::Cols width,
                  std::ostream& out) {
  const std::vector<Column> columns = fitting_columns(rows, read_gbs, width);
  out << line_of(columns, ' ', [](const Column& column) { return column.header; });
  for (const ModelRow& row : rows) {
    out << line_of(columns, row.is_default ? '*' : ' ',
                   [&](const Column& column) { return cell_of(column, row, read_gbs); });
    if (width.value > 0) out << lines_below(row.model, width);
  }
}

void print_models_json(const std::vector<ModelRow>& rows, double read_gbs, std::ostream& out) {
  Json models = Json::array();
  for (const ModelRow& row : rows) models.push_back(as_json(row, read_gbs));
  const Json all = {{"read_gbs", number_or_null(read_gbs > 0, read_gbs)}, {"models", models}};
  out << all.dump(2) << '\n';
}

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
