// SPDX-License-Identifier: MIT
#include "engine/run/model_facts.h"

#include <string_view>
#include <type_traits>
#include <variant>

#include "engine/gguf/gguf.h"

namespace confab::engine {

std::string model_name(const Gguf& gguf) {
  const std::string& path = gguf.path();
  const auto name = gguf.find_string("general.name");
  return std::string(name ? *name : path.substr(path.find_last_of('/') + 1));
}

std::vector<Recommendation> recommended_sampling(const Gguf& gguf) {
  constexpr std::string_view kPrefix = "general.sampling.";
  std::vector<Recommendation> found;
  for (const GgufKey& key : gguf.keys()) {
    if (!key.name.starts_with(kPrefix)) continue;
    const auto add = [&](const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      const std::string name(key.name.substr(kPrefix.size()));
      if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>)
        found.push_back({name, static_cast<double>(value)});
      else if constexpr (std::is_convertible_v<Value, std::string_view>)
        found.push_back({.name = name, .text = std::string(value)});
    };
    std::visit(add, key.value);
  }
  return found;
}

}  // namespace confab::engine
