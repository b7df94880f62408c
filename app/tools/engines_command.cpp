// SPDX-License-Identifier: MIT
#include "app/tools/engines_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <vector>

#include "app/engines/engine_choice.h"
#include "app/figures.h"
#include "base/json.h"
#include "engine/error.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using base::Json;

// A row of the table: an engine, or a model that it serves.
struct Row {
  std::string name;
  std::string engine;
  std::string context;
  std::string url;
};

std::string context_text(int n_ctx) {
  return n_ctx > 0 ? grouped(n_ctx) : "";
}

// The row of a model that config.toml names.
Row named_row(const AskedEngine& asked, const std::string& name) {
  Row row{asked.config.name + "/" + name, engine::name_of(asked.facts.kind), "", asked.config.url};
  try {
    const engine::EngineAddress address{.name = asked.config.name, .url = asked.config.url};
    row.context = context_text(engine::find_served(asked.facts, address, name).n_ctx);
  } catch (const engine::ModelError&) {
    row.engine = "does not have it";
  }
  return row;
}

void add_rows(const AskedEngine& asked, bool was_asked, std::vector<Row>& rows) {
  const EngineConfig& config = asked.config;
  if (!was_asked || !asked.fault.empty()) {
    const char* state = was_asked ? "does not answer" : "not asked";
    if (config.models.empty()) rows.push_back({config.name, state, "", config.url});
    for (const std::string& model : config.models)
      rows.push_back({config.name + "/" + model, state, "", config.url});
    return;
  }
  const std::string kind = engine::name_of(asked.facts.kind);
  for (const std::string& name : config.models) rows.push_back(named_row(asked, name));
  if (!config.models.empty()) return;
  if (asked.facts.models.empty()) rows.push_back({config.name, kind, "no model", config.url});
  for (const engine::ServedModel& model : asked.facts.models)
    rows.push_back(
        {engine::name_at(config.name, model.id), kind, context_text(model.n_ctx), config.url});
}

void print(const std::vector<Row>& rows, std::ostream& out) {
  std::array<int, 3> widest{4, 6, 7};
  const auto measure = [](const std::string& text) { return ui::width(ui::one_line(text)).value; };
  for (const Row& row : rows) {
    widest[0] = std::max(widest[0], measure(row.name));
    widest[1] = std::max(widest[1], measure(row.engine));
    widest[2] = std::max(widest[2], measure(row.context));
  }
  const auto cell = [&](const std::string& text, int width) {
    return ui::one_line(text) + std::string(static_cast<std::size_t>(width - measure(text)), ' ');
  };
  const auto line = [&](const Row& row) {
    out << cell(row.name, widest[0]) << "  " << cell(row.engine, widest[1]) << "  "
        << cell(row.context, widest[2]) << "  " << ui::one_line(row.url) << '\n';
  };
  line({"NAME", "ENGINE", "CONTEXT", "URL"});
  for (const Row& row : rows) line(row);
}

Json to_json(const AskedEngine& asked, bool was_asked) {
  Json json{{"name", asked.config.name}, {"url", asked.config.url}};
  if (!was_asked) return json;
  json["answers"] = asked.fault.empty();
  if (!asked.fault.empty()) {
    json["fault"] = asked.fault;
    return json;
  }
  json["engine"] = engine::name_of(asked.facts.kind);
  if (!asked.facts.version.empty()) json["version"] = asked.facts.version;
  if (asked.facts.n_slots > 0) json["slots"] = asked.facts.n_slots;
  json["models"] = Json::array();
  for (const engine::ServedModel& model : asked.facts.models) {
    Json one{{"id", model.id}, {"loaded", model.is_loaded}};
    if (model.n_ctx > 0) one["context"] = model.n_ctx;
    if (model.n_ctx_train > 0) one["context_trained"] = model.n_ctx_train;
    if (model.n_params > 0) one["parameters"] = model.n_params;
    if (model.bytes > 0) one["bytes"] = model.bytes;
    if (!model.quantisation.empty()) one["quantisation"] = model.quantisation;
    json["models"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

int run_engines(const EnginesQuery& query, std::ostream& out, std::ostream& err) {
  constexpr std::chrono::milliseconds kFar{5000};
  std::vector<AskedEngine> named;
  if (query.check) {
    named = ask_engines(query.engines, kFar);
  } else {
    for (const EngineConfig& engine : query.engines) named.push_back({.config = engine});
  }
  const std::vector<AskedEngine> running = running_engines(query.engines);
  std::vector<Row> rows;
  Json list = Json::array();
  for (const AskedEngine& one : named) {
    add_rows(one, query.check, rows);
    list.push_back(to_json(one, query.check));
  }
  for (const AskedEngine& one : running) {
    add_rows(one, true, rows);
    list.push_back(to_json(one, true));
  }
  if (query.json)
    out << list.dump(2) << '\n';
  else if (!rows.empty())
    print(rows, out);
  bool all_answer = true;
  for (const AskedEngine& one : named) {
    if (one.fault.empty()) continue;
    all_answer = false;
    err << "confab: " << ui::one_line(one.fault) << '\n';
  }
  if (rows.empty())
    err << "No engine is named in config.toml, and none runs on this machine's usual ports.\n"
           "confab -m http://HOST:PORT chats with one; [engines.NAME] with url = \"...\" in "
           "config.toml names it.\n";
  else if (!query.json)
    err << "To chat with one: confab -m NAME\n";
  return all_answer ? 0 : 1;
}

}  // namespace confab::app
