// SPDX-License-Identifier: MIT
#include "engine/arch/architecture.h"

#include <fmt/format.h>

#include <array>

#include "engine/gguf.h"
#include "engine/hparams.h"

namespace confab::engine {
namespace {

constexpr std::array kArchitectures{
    &kLlama,
    &kQwen2,
};

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

void refuse_experts(const Gguf& gguf, const Hparams& hparams) {
  const std::string key = hparams.architecture + ".expert_count";
  if (const auto n = gguf.find_int(key); n.value_or(0) != 0) {
    gguf.fail(
        fmt::format("key {} is {}, but this version cannot run mixtures of experts", key, *n));
  }
}

}  // namespace confab::engine
