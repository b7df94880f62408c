// SPDX-License-Identifier: MIT
// Tells right from wrong over folders of the JSON-Schema-Test-Suite: which instances are decided as
// the suite has them, and which schemas are refused.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/constrain/json/json_schema.h"
#include "engine/constrain/machine.h"
#include "engine/error.h"

namespace {

using namespace confab::engine;  // NOLINT: a program of one file
using Json = nlohmann::ordered_json;

// With whole numbers written out, as the suite has them.
std::string written(const Json& data) {
  std::string text;
  if (data.is_object()) {
    for (const auto& [key, value] : data.items())
      text += fmt::format("{}{}:{}", text.empty() ? "" : ",", Json(key).dump(), written(value));
    return "{" + text + "}";
  }
  if (data.is_array()) {
    for (const Json& value : data) text += (text.empty() ? "" : ",") + written(value);
    return "[" + text + "]";
  }
  const bool is_whole = data.is_number_float() && std::abs(data.get<double>()) < 1e17 &&
                        data.get<double>() == std::trunc(data.get<double>());
  return is_whole ? fmt::format("{:.1f}", data.get<double>()) : data.dump();
}

struct Options {
  bool lists = false;
  std::string draft = {};  // of schemas that do not name theirs
  Formats formats = Formats::note;
};

struct Count {
  int n_schemas = 0;
  int n_refused = 0;
  int n_tests = 0;
  int n_wrong = 0;
};

// Why the schema is refused; empty: all of its tests have been counted.
std::string run(const std::string& name, const Json& group, const Options& options, Count& count) {
  ++count.n_schemas;
  Json schema = group["schema"];
  if (!options.draft.empty() && schema.is_object() && !schema.contains("$schema"))
    schema["$schema"] = options.draft;
  try {
    RegexSet regexes;
    const auto grammar = parse_json_schema(regexes, schema.dump(), options.formats);
    Machine machine(*grammar);
    for (const Json& test : group["tests"]) {
      const bool accepted = machine.advance(machine.start(), written(test["data"])).may_end;
      ++count.n_tests;
      if (accepted == test["valid"].get<bool>()) continue;
      ++count.n_wrong;
      if (options.lists)
        fmt::print("{}: {}: {}: {} {}\n", name, group["description"].get<std::string>(),
                   test["description"].get<std::string>(), accepted ? "accepted" : "not accepted",
                   test["data"].dump());
    }
  } catch (const ModelError& fault) {
    // Where nothing is valid, and the suite says so too, that is the right answer.
    const bool is_never = std::string_view(fault.what()).ends_with("no value is valid under it");
    const bool is_right = std::ranges::none_of(
        group["tests"], [](const Json& test) { return test["valid"].get<bool>(); });
    if (is_never && is_right) return {};
    ++count.n_refused;
    return fault.what();
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Counts what of the JSON-Schema-Test-Suite is decided right, and which schemas are refused.");
  std::vector<std::string> files;
  Options options;
  bool holds_formats = false;
  app.add_option("FILE", files, "Files of the suite")->required();
  app.add_flag("--list", options.lists, "Name what is wrong or refused");
  app.add_option("--draft", options.draft, "$schema of schemas that have none");
  app.add_flag("--formats", holds_formats, "Hold strings to their format");
  CLI11_PARSE(app, argc, argv);
  if (holds_formats) options.formats = Formats::hold;
  Count all;
  for (const std::string& path : files) {
    std::ifstream in(path);
    const std::string name = std::filesystem::path(path).stem().string();
    for (const Json& group : Json::parse(in)) {
      const std::string fault = run(name, group, options, all);
      if (!fault.empty() && options.lists)
        fmt::print("{}: {}: refused: {}\n", name, group["description"].get<std::string>(), fault);
    }
  }
  fmt::print("schemas {}  refused {} ({:.1f} %)  tests of the others {}  decided wrong {}\n",
             all.n_schemas, all.n_refused, 100.0 * all.n_refused / all.n_schemas, all.n_tests,
             all.n_wrong);
  return all.n_wrong == 0 ? 0 : 1;
}
