// SPDX-License-Identifier: MIT
#include "app/tools/debug_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <limits>
#include <sstream>

#include "app/figures.h"
#include "app/models/inference.h"
#include "engine/platform/memory.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using engine::GgufArray;
using engine::GgufKey;
using engine::GgufTensor;
using engine::GgufValue;

// Strings of the file are untrusted: made safe to print, and one line.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 200;
  std::string line = ui::sanitize(text.substr(0, kShown));
  std::string escaped;
  for (const char c : line)
    if (c == '\n')
      escaped += "\\n";
    else
      escaped += c;
  return fmt::format("\"{}\"{}", escaped, text.size() > kShown ? "..." : "");
}

template <typename T>
std::string element(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>)
    return quoted(value);
  else
    return fmt::format("{}", value);
}

std::string array_text(const GgufArray& array) {
  return std::visit(
      [](const auto& items) {
        constexpr std::size_t kShown = 8;
        std::vector<std::string> shown;
        for (std::size_t i = 0; i < items.size() && i < kShown; ++i)
          shown.push_back(element<typename std::decay_t<decltype(items)>::value_type>(items[i]));
        return fmt::format("[{}{}] ({} items)", fmt::join(shown, ", "),
                           items.size() > kShown ? ", ..." : "", items.size());
      },
      array);
}

std::string value_text(const GgufValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, GgufArray>)
          return array_text(v);
        else
          return element<T>(v);
      },
      value);
}

// Weights of the experts that a token does not use.
std::int64_t n_idle_parameters(const engine::Model& model) {
  const engine::ExpertHparams& experts = model.hparams.experts;
  std::int64_t n = 0;
  for (const engine::LayerWeights& layer : model.weights.layers) {
    if (layer.experts.gate.empty()) continue;
    for (const auto* matrices : {&layer.experts.gate, &layer.experts.up, &layer.experts.down}) {
      const engine::Matrix& one = matrices->front();
      n += (experts.n_expert - experts.n_expert_used) * one.n_rows * one.rows.n_cols;
    }
  }
  return n;
}

std::string experts_text(const engine::Model& model, std::int64_t n_params) {
  const engine::ExpertHparams& experts = model.hparams.experts;
  if (experts.n_expert == 0) return {};
  return fmt::format(
      "\nexperts: {} per layer, {} used per token ({:.2f} M of {:.2f} M parameters)\n",
      experts.n_expert, experts.n_expert_used,
      static_cast<double>(n_params - n_idle_parameters(model)) / 1e6,
      static_cast<double>(n_params) / 1e6);
}

void describe(const engine::Model& model, const ModelOptions& options, std::ostream& out) {
  const engine::Gguf& gguf = model.gguf;
  out << fmt::format("file: {}\nGGUF version {}, {}\n\nmetadata ({} keys)\n", gguf.path(),
                     gguf.version(), size_text(gguf.file_bytes()), gguf.keys().size());
  for (const GgufKey& key : gguf.keys())
    out << fmt::format("  {} = {}\n", ui::sanitize(key.name), value_text(key.value));

  std::int64_t n_params = 0;
  out << fmt::format("\ntensors ({})\n", gguf.tensors().size());
  for (const GgufTensor& tensor : gguf.tensors()) {
    n_params += tensor.n_elements();
    out << fmt::format("  {:<32} {:<7} [{}]  {}\n", ui::sanitize(tensor.name),
                       kernels::info(tensor.dtype).name, fmt::join(tensor.shape, ", "),
                       size_text(tensor.n_bytes()));
  }

  out << experts_text(model, n_params);

  // A model that is too large is described all the same.
  const engine::ContextPlan plan =
      engine::plan_context(model, load_options(options), std::numeric_limits<std::uint64_t>::max());
  out << fmt::format(
      "\nmemory, for a context of {} tokens\n"
      "  weights ({:.2f} M parameters, mapped from the file)  {}\n"
      "  KV cache ({}/{})  {}\n"
      "  scratch  {}\n"
      "  total  {} of {} available\n",
      plan.n_ctx, static_cast<double>(n_params) / 1e6, size_text(plan.memory.weights_bytes),
      kernels::info(plan.type_k).name, kernels::info(plan.type_v).name,
      size_text(plan.memory.kv_bytes), size_text(plan.memory.scratch_bytes),
      size_text(plan.memory.total_bytes()), size_text(engine::platform::available_memory()));
}

}  // namespace

int debug_info(const DebugOptions& options, std::ostream& out) {
  const auto model = engine::Model::load(model_path(options.model), engine::NextnHead::left_out,
                                         options.model.rope);
  std::ostringstream text;
  describe(*model, options.model, text);
  model->gguf.check();
  out << text.str();
  return 0;
}

}  // namespace confab::app
