// SPDX-License-Identifier: MIT
#include "engine/ollama/tokenizer_keys.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/ollama/translation.h"

namespace confab::engine {
namespace {

template <typename T>
std::span<const T> first(const std::vector<T>& all, std::size_t n) {
  return std::span(all).first(std::min(all.size(), n));
}

}  // namespace

void cut_vocabulary(Translation& to) {
  const GgufTensor* embeddings = to.gguf().find_tensor("token_embd.weight");
  const auto* tokens = to.gguf().find_array<std::string_view>("tokenizer.ggml.tokens");
  if (embeddings == nullptr || embeddings->shape.size() < 2 || tokens == nullptr) return;
  const auto n = static_cast<std::size_t>(embeddings->shape[1]);
  if (tokens->size() <= n) return;
  const auto kept = first(*tokens, n);
  to.set("tokenizer.ggml.tokens", std::vector<std::string>(kept.begin(), kept.end()));
  if (const auto* types = to.gguf().find_array<std::int32_t>("tokenizer.ggml.token_type"))
    to.set("tokenizer.ggml.token_type", first(*types, n));
  if (const auto* scores = to.gguf().find_array<float>("tokenizer.ggml.scores"))
    to.set("tokenizer.ggml.scores", first(*scores, n));
}

void name_ends(Translation& to) {
  constexpr std::string_view kEnds = "tokenizer.ggml.eos_token_ids";
  if (!to.has(kEnds)) return;
  std::vector<std::string_view> keys = {"tokenizer.ggml.eom_token_id",
                                        "tokenizer.ggml.eot_token_id"};
  std::erase_if(keys, [&](auto name) { return to.has(name); });
  const std::int64_t eos = to.number("tokenizer.ggml.eos_token_id").value_or(-1);
  for (const std::int32_t id : *to.gguf().find_array<std::int32_t>(kEnds)) {
    if (keys.empty()) return;
    if (id < 0 || id == eos) continue;
    to.set(keys.back(), static_cast<std::uint32_t>(id));
    keys.pop_back();
  }
}

void name_pre_tokenizer(Translation& to, std::string_view name) {
  constexpr std::string_view kRule = "tokenizer.ggml.pre";
  if (to.text(kRule).empty() || to.text(kRule) == "default") to.set(kRule, name);
}

}  // namespace confab::engine
