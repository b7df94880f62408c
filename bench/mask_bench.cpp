// SPDX-License-Identifier: MIT
// How long it takes to read schemas and to say which tokens may come next, and whether answers are
// told right from wrong, over a folder of files like those of MaskBench
// (guidance-ai/jsonschemabench):
// {"schema": ..., "tests": [{"valid": true, "data": ...}]}.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/constrain/constraint.h"
#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/text/tokenizer.h"

namespace {

using namespace confab::engine;  // NOLINT: a program of one file
using Json = nlohmann::ordered_json;

// Processor time of this thread: others that use the machine do not count.
struct Clock {
  using duration = std::chrono::duration<double, std::micro>;
  using time_point = double;
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
  }
};

double microseconds(Clock::time_point since) {
  return Clock::now() - since;
}

// As Python's json.dumps(data, ensure_ascii=False) writes it.
std::string spaced(const Json& data) {
  std::string text;
  if (data.is_object()) {
    for (const auto& [key, value] : data.items())
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", Json(key).dump(), spaced(value));
    return "{" + text + "}";
  }
  if (!data.is_array()) return data.dump();
  for (const Json& value : data) text += (text.empty() ? "" : ", ") + spaced(value);
  return "[" + text + "]";
}

struct Figures {
  std::vector<double> masks;     // microseconds
  std::vector<double> compiles;  // microseconds
  int n_passing = 0;
  int n_refused = 0;
  int n_rejects_valid = 0;    // schemas
  int n_accepts_invalid = 0;  // schemas
};

void print(const char* name, std::vector<double>& times) {
  if (times.empty()) return;
  std::ranges::sort(times);
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  double sum = 0;
  for (const double time : times) sum += time;
  fmt::print(
      "{:<14} {:>9} avg {:>8.1f}  p50 {:>8.1f}  p90 {:>8.1f}  p99 {:>8.1f}  max {:>10.1f} us\n",
      name, times.size(), sum / static_cast<double>(times.size()), at(0.5), at(0.9), at(0.99),
      times.back());
}

bool is_accepted(Constraint& constraint, const Tokenizer& tokenizer, const std::string& text,
                 Figures& figures) {
  for (const Token token : tokenizer.encode(text, false)) {
    const Clock::time_point begin = Clock::now();
    const bool is_allowed = constraint.mask().has(token);
    figures.masks.push_back(microseconds(begin));
    if (is_allowed != constraint.allows(token))
      throw ModelError("the mask and the token do not agree");
    if (!is_allowed) return false;
    constraint.accept(token);
  }
  return constraint.may_end();
}

// What is wrong with what was said of the file; empty: nothing.
std::string run(const std::filesystem::path& path, Constraints& constraints,
                const Tokenizer& tokenizer, Figures& figures) {
  std::ifstream in(path);
  const Json file = Json::parse(in);
  const ConstraintSpec spec{.kind = ConstraintSpec::Kind::json_schema,
                            .text = file["schema"].dump()};
  try {
    const Clock::time_point begin = Clock::now();
    constraints.begin(spec);
    figures.compiles.push_back(microseconds(begin));
  } catch (const ModelError& fault) {
    ++figures.n_refused;
    return fmt::format("refused: {}", fault.what());
  }
  for (const Json& test : file.value("tests", Json::array())) {
    const bool is_valid = test["valid"].get<bool>();
    bool accepted = false;
    const std::string text = spaced(test["data"]);
    try {
      const auto constraint = constraints.begin(spec);
      accepted = is_accepted(*constraint, tokenizer, text, figures);
    } catch (const ModelError& fault) {
      ++figures.n_refused;
      return fmt::format("failed: {}", fault.what());
    }
    if (accepted == is_valid) continue;
    ++(is_valid ? figures.n_rejects_valid : figures.n_accepts_invalid);
    return fmt::format("{}: {}", is_valid ? "rejects valid" : "ACCEPTS INVALID",
                       text.substr(0, 300));
  }
  ++figures.n_passing;
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures constrained decoding over a folder of JSON schemas.");
  std::string model, folder;
  bool lists = false;
  std::size_t every = 1;
  app.add_option("MODEL", model, "GGUF file with the vocabulary")->required();
  app.add_option("FOLDER", folder, "Folder of JSON files")->required();
  app.add_flag("--list", lists, "Name the files that do not pass");
  app.add_option("--every", every, "Take each Nth file");
  CLI11_PARSE(app, argc, argv);

  const Gguf gguf(model);
  const auto tokenizer = Tokenizer::load(gguf);
  Constraints constraints(*tokenizer);
  constraints.begin({.kind = ConstraintSpec::Kind::json_schema, .text = "{}"})->mask();
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::ranges::sort(paths);
  Figures figures;
  int n_files = 0;
  for (std::size_t i = 0; i < paths.size(); i += every, ++n_files) {
    const Clock::time_point begin = Clock::now();
    const std::string fault = run(paths[i], constraints, *tokenizer, figures);
    if (lists && (!fault.empty() || microseconds(begin) > 1e6))
      fmt::print("{} {:.0f}ms: {}\n", paths[i].filename().string(), microseconds(begin) / 1e3,
                 fault);
  }
  fmt::print(
      "schemas {}  passing {}  refused {}  rejecting valid ones {}  accepting invalid ones {}\n",
      n_files, figures.n_passing, figures.n_refused, figures.n_rejects_valid,
      figures.n_accepts_invalid);
  print("masks", figures.masks);
  print("compilations", figures.compiles);
}
