// SPDX-License-Identifier: MIT
// The golden cases of architectures: folders with a model and the reference's answers to it, in the
// folder of golden data (where there is one) and in tests/data/arch. Both READMEs give the format.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"
#include "tests/engine/golden.h"

namespace confab::engine {

inline nlohmann::json read_json(const std::filesystem::path& path) {
  return nlohmann::json::parse(read_text(path));
}

struct GoldenRun {
  int n_ctx;
  std::vector<float> logits;         // [n_tokens, n_vocab]
  std::vector<Token> greedy_tokens;  // the first from the last row of logits
  std::vector<double> margins;       // of each, to the second best logit
  std::vector<float> greedy_logits;  // row i: after feeding greedy token i
};

struct GoldenCase {
  std::string name;
  std::filesystem::path folder;

  std::filesystem::path model() const { return folder / "model.gguf"; }

  std::vector<Token> tokens() const {
    return read_json(folder / "case.json")["tokens"].get<std::vector<Token>>();
  }

  // One run for each size of context: with an exact GELU where the reference was made to have it.
  std::vector<GoldenRun> runs() const {
    std::map<int, nlohmann::json> chosen;
    const nlohmann::json read = read_json(folder / "case.json");
    for (const nlohmann::json& run : read["runs"]) {
      const int n_ctx = run["n_ctx"];
      if (run["kind"] == "exact-gelu" || !chosen.contains(n_ctx)) chosen[n_ctx] = run;
    }
    std::vector<GoldenRun> runs;
    for (const auto& [n_ctx, run] : chosen) {
      runs.push_back({.n_ctx = n_ctx,
                      .logits = read_npy(folder / run["logits"].get<std::string>()),
                      .greedy_tokens = run["greedy_tokens"].get<std::vector<Token>>(),
                      .margins = run["greedy_top1_margin"].get<std::vector<double>>(),
                      .greedy_logits = read_npy(folder / run["greedy_logits"].get<std::string>())});
    }
    return runs;
  }
};

inline std::ostream& operator<<(std::ostream& out, const GoldenCase& c) {
  return out << c.name;
}

// In order of their names. A case of our own hides one of the folder's with the same name.
inline std::vector<GoldenCase> golden_cases() {
  std::map<std::string, std::filesystem::path> folders;
  const std::filesystem::path large = golden_folder();
  for (const std::filesystem::path& root :
       {large.empty() ? large : large / "arch",
        std::filesystem::path(CONFAB_SOURCE_DIR) / "tests/data/arch"}) {
    if (!std::filesystem::is_directory(root)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
      const GoldenCase one{entry.path().filename(), entry.path()};
      // Beside these, the folder has packed models, of architectures that are not supported yet.
      if (std::filesystem::exists(one.folder / "case.json") && std::filesystem::exists(one.model()))
        folders[one.name] = one.folder;
    }
  }
  std::vector<GoldenCase> cases;
  for (const auto& [name, folder] : folders) {
    cases.push_back({name, folder});
  }
  return cases;
}

}  // namespace confab::engine
