// SPDX-License-Identifier: MIT
#include "engine/model/arch/architecture.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/gguf/gguf.h"
#include "engine/gguf/key_reader.h"
#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

constexpr std::array kArchitectures{
#define CONFAB_ARCHITECTURE(architecture) &architecture,
#include "engine/model/arch/registry.def"
#undef CONFAB_ARCHITECTURE
};

constexpr int kMaxWindow = 1 << 28;

}  // namespace

const Architecture* find_architecture(std::string_view name) noexcept {
  for (const Architecture* architecture : kArchitectures) {
    if (architecture->name == name) return architecture;
  }
  return nullptr;
}

std::string known_architectures() {
  std::string names;
  for (const Architecture* architecture : kArchitectures) {
    names += (names.empty() ? "" : ", ") + std::string(architecture->name);
  }
  return names;
}

void refuse_experts(const KeyReader& keys) {
  if (const int n = keys.natural_or("expert_count", 1 << 16, 0); n != 0) {
    keys.gguf().fail(fmt::format("key {} is {}, but this version cannot run mixtures of experts",
                                 keys.key("expert_count"), n));
  }
}

void refuse_image_positions(const KeyReader& keys) {
  if (keys.has("rope.dimension_sections")) {
    keys.refuse("rope.dimension_sections", "there", "none: image positions are not supported");
  }
}

void set_nextn_layers_apart(const KeyReader& keys, Hparams& hparams) {
  const int n_nextn = keys.natural_or("nextn_predict_layers", hparams.n_layer - 1, 0);
  if (n_nextn == 0) return;
  hparams.n_layer -= n_nextn;
  hparams.layers.resize(static_cast<std::size_t>(hparams.n_layer) + 1);
}

void slide_windows(const KeyReader& keys, Hparams& hparams, int default_period,
                   int default_window) {
  const int window = keys.natural_or("attention.sliding_window", kMaxWindow, default_window);
  const std::vector<bool> slides = keys.window_pattern(hparams.n_layer, default_period);
  for (std::size_t il = 0; il < hparams.layers.size(); ++il) {
    if (slides[il]) hparams.layers[il].window = window;
  }
}

void rotate_windows(Hparams& hparams, const RopeHparams& rope) {
  hparams.ropes.push_back(rope);
  for (LayerHparams& layer : hparams.layers) {
    if (layer.window > 0) layer.rope = 1;
  }
}

void rebase_windows(const KeyReader& keys, Hparams& hparams) {
  if (!keys.has("rope.freq_base_swa")) return;
  RopeHparams rope = hparams.ropes[0];
  rope.freq_base = keys.positive("rope.freq_base_swa");
  if (rope.freq_base <= 1) {
    keys.refuse("rope.freq_base_swa", fmt::format("{}", rope.freq_base), "more than 1");
  }
  rotate_windows(hparams, rope);
}

float score_scale_by_width(const Hparams& hparams) noexcept {
  return 1 / std::sqrt(static_cast<float>(hparams.n_embd / hparams.layers[0].n_head));
}

void read_qwen_hybrid(const KeyReader& keys, Hparams& hparams) {
  hparams.ropes[0].interleaved = false;
  hparams.qk_norm = QkNorm::head;
  hparams.attn_gate = true;
  hparams.ffn_norm_name = "post_attention_norm";
  set_nextn_layers_apart(keys, hparams);
  read_delta_net(keys, hparams);
}

void read_qwen_hybrid_experts(const KeyReader& keys, Hparams& hparams) {
  read_experts(keys, hparams, DefaultExpertWidth::share_of_layer);
  hparams.experts.normalise_weights = true;
  read_gated_shared_expert(keys, hparams);
}

void read_delta_net(const KeyReader& keys, Hparams& hparams) {
  constexpr int kMaxState = 1 << 10, kMaxHeads = 1 << 10, kInterval = 4;
  DeltaNetHparams& net = hparams.delta_net;
  net.d_conv = keys.count("ssm.conv_kernel", kMaxConv);
  net.d_state = keys.count("ssm.state_size", kMaxState);
  net.n_k_heads = keys.count("ssm.group_count", kMaxHeads);
  net.n_v_heads = keys.count("ssm.time_step_rank", kMaxHeads);
  if (net.d_conv < 2) keys.refuse("ssm.conv_kernel", "1", "2 or more");
  if (net.n_v_heads % net.n_k_heads != 0) {
    keys.refuse("ssm.time_step_rank", std::to_string(net.n_v_heads),
                fmt::format("a multiple of the {} groups", net.n_k_heads));
  }
  const int n_inner = keys.count("ssm.inner_size", kMaxState * kMaxHeads);
  if (n_inner != net.n_v_heads * net.d_state) {
    keys.refuse("ssm.inner_size", std::to_string(n_inner),
                fmt::format("{} heads of {}", net.n_v_heads, net.d_state));
  }
  const int interval = keys.count_or("full_attention_interval", hparams.n_layer, kInterval);
  const auto listed = keys.flags_or_empty("attention.recurrent_layers", hparams.n_layer);
  for (int il = 0; il < hparams.n_layer; ++il) {
    const auto i = static_cast<std::size_t>(il);
    const bool recurrent = listed.empty() ? (il + 1) % interval != 0 : listed[i];
    if (!recurrent) continue;
    LayerHparams layer;
    layer.n_ff = hparams.layers[i].n_ff;
    layer.rope = kNoRope;
    layer.recurrent = true;
    hparams.layers[i] = layer;
  }
}

}  // namespace confab::engine
