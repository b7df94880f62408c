// SPDX-License-Identifier: MIT
// Qwen3-Next of February 2026 and Qwen3.5 of February to May 2026: which layers are delta nets is
// told by KV heads of 0, a bias has lost its ending, and pictures and further tokens are in the
// same file. Norms have their 1 added, ssm_a is -exp(A_log), and queries, keys, values and gates
// are apart, all as in llama.cpp's files; value heads of Qwen3.5 are in its order where
// ssm.v_head_reordered says so, or nothing does. Sources: convert/convert_qwen3next.go at 77eb2ca61
// and da70c3222, model/models/qwen3next/model.go (inferRecurrentLayers, defaultVHeadReordered);
// llama/compat/llama-ollama-compat.cpp, apply_qwen35_text_fixes and handle_qwen3next.
#include <algorithm>
#include <array>

#include "engine/ollama/ollama_form.h"
#include "engine/ollama/translation.h"

namespace confab::engine {
namespace {

constexpr auto kTensors =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"ssm_dt", "ssm_dt.bias"}});

bool has_short_bias(const Gguf& gguf) {
  return std::ranges::any_of(gguf.tensors(), [](const GgufTensor& tensor) {
    return tensor.name.starts_with("blk.") && tensor.name.ends_with(".ssm_dt");
  });
}

void name_recurrent_layers(Translation& to) {
  const auto* heads = array_of<std::uint32_t>(to.gguf(), to.key("attention.head_count_kv"));
  if (heads == nullptr || heads->empty()) return;
  const std::uint32_t most = std::ranges::max(*heads);
  if (most == 0) return;  // who reads it says so
  to.set("attention.head_count_kv", most);
  if (to.has("attention.recurrent_layers") || std::ranges::count(*heads, 0U) == 0) return;
  std::vector<std::int32_t> recurrent;
  for (const std::uint32_t n : *heads) recurrent.push_back(n == 0 ? 1 : 0);
  to.set("attention.recurrent_layers", recurrent);
}

void pad_sections(Translation& to) {
  constexpr std::string_view kName = "rope.dimension_sections";
  if (!to.has(kName)) return;
  const auto* sections = to.gguf().find_array<std::int32_t>(to.key(kName));
  if (sections->size() != 3) return;
  std::vector<std::int32_t> padded = *sections;
  padded.push_back(0);
  to.set(kName, padded);
}

void translate(Translation& to, bool reordered) {
  constexpr std::string_view kOrder = "ssm.v_head_reordered";
  if (to.gguf().find_bool(to.key(kOrder)).value_or(reordered) != reordered) {
    to.gguf().fail(
        std::string("its value heads are in an order that is not read (key ") + to.key(kOrder) +
        "); get the model as llama.cpp has it (confab pull ORG/REPO-GGUF), or convert it anew");
  }
  name_recurrent_layers(to);
  pad_sections(to);
  constexpr std::string_view kWidth = "feed_forward_length";  // 0: all layers have experts
  if (to.number(kWidth) == 0) to.leave_out(kWidth);
  to.rename_tensors(kTensors);
}

bool is_qwen35(const Gguf& gguf) {
  constexpr std::array<std::string_view, 4> kMarkers = {
      ".vision.block_count", ".image_token_id", ".ssm.v_head_reordered", ".rope.mrope_interleaved"};
  const std::string architecture(gguf.find_string("general.architecture").value_or(""));
  return has_embedded_parts(gguf) || has_short_bias(gguf) ||
         std::ranges::any_of(kMarkers, [&](std::string_view key) {
           return gguf.find(architecture + std::string(key)) != nullptr;
         });
}

}  // namespace

const OllamaForm kOllamaQwen35{.architecture = "qwen35",
                               .becomes = "qwen35",
                               .matches = is_qwen35,
                               .translate = [](Translation& to) { translate(to, true); }};
const OllamaForm kOllamaQwen35Moe{.architecture = "qwen35moe",
                                  .becomes = "qwen35moe",
                                  .matches = is_qwen35,
                                  .translate = [](Translation& to) { translate(to, true); }};
const OllamaForm kOllamaQwen3Next{.architecture = "qwen3next",
                                  .becomes = "qwen3next",
                                  .matches = has_short_bias,
                                  .translate = [](Translation& to) { translate(to, false); }};

}  // namespace confab::engine
