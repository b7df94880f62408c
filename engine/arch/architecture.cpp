// SPDX-License-Identifier: MIT
#include "engine/arch/architecture.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/gguf.h"
#include "engine/hparams.h"
#include "engine/key_reader.h"

namespace confab::engine {
namespace {

constexpr std::array kArchitectures{
    &kCohere2, &kCommandR, &kDeepSeek2, &kGemma2, &kGemma3, &kGemma4, &kGlm4,    &kGranite,
    &kLlama,   &kMistral3, &kOlmo2,     &kPhi3,   &kQwen2,  &kQwen3,  &kSmolLm3,
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

void leave_out_predicting_layers(const KeyReader& keys, Hparams& hparams) {
  hparams.n_layer -= keys.natural_or("nextn_predict_layers", hparams.n_layer - 1, 0);
  hparams.layers.resize(static_cast<std::size_t>(hparams.n_layer));
}

void slide_windows(const KeyReader& keys, Hparams& hparams, int default_period,
                   int default_window) {
  const int window = keys.natural_or("attention.sliding_window", kMaxWindow, default_window);
  const std::vector<bool> slides = keys.window_pattern(hparams.n_layer, default_period);
  for (std::size_t il = 0; il < hparams.layers.size(); ++il) {
    if (slides[il]) hparams.layers[il].window = window;
  }
}

float score_scale_by_width(const Hparams& hparams) noexcept {
  return 1 / std::sqrt(static_cast<float>(hparams.n_embd / hparams.layers[0].n_head));
}

}  // namespace confab::engine
