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
  if (const auto* types = array_of<std::int32_t>(to.gguf(), "tokenizer.ggml.token_type"))
    to.set("tokenizer.ggml.token_type", first(*types, n));
  if (const auto* scores = array_of<float>(to.gguf(), "tokenizer.ggml.scores"))
    to.set("tokenizer.ggml.scores", first(*scores, n));
}

void name_pre_tokenizer(Translation& to, std::string_view name) {
  constexpr std::string_view kRule = "tokenizer.ggml.pre";
  if (to.text(kRule).empty() || to.text(kRule) == "default") to.set(kRule, name);
}

}  // namespace confab::engine
