// SPDX-License-Identifier: MIT
// What a model says when something that its architecture does is left out: if the golden logits did
// not change by that, they would not prove that it is done.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden.h"

namespace confab::engine {

// The NMSE of the logits of tests/data/arch/CASE after `take_out` has changed the model, against
// those of the model as it is.
inline double loss_without(const std::string& name, const std::function<void(Model&)>& take_out) {
  const std::filesystem::path folder = CONFAB_SOURCE_DIR "/tests/data/arch/" + name;
  const auto tokens =
      nlohmann::json::parse(read_text(folder / "case.json"))["tokens"].get<std::vector<Token>>();
  const RunOptions options{.table = kernels::kernel_table(kernels::Isa::scalar)};
  Model model = load_bare_model(folder / "model.gguf");
  const std::vector<float> whole = run_model(model, tokens, options, {64});
  take_out(model);
  const std::vector<float> got = run_model(model, tokens, options, {64});
  return difference(std::span<const float>(got), std::span<const float>(whole)).nmse;
}

// Far above the bar of the golden data, far below what the smallest of the features does.
constexpr double kVisible = 1e-5;

}  // namespace confab::engine
