// SPDX-License-Identifier: MIT
#include "engine/ollama/translation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace confab::engine {
namespace {

constexpr std::uint64_t kAlignment = 32;  // irrelevant: no data follows the metadata

// Prefixes from Ollama's converters, https://github.com/ollama/ollama/tree/main/convert: images
// (v., mm., and model.vision_tower. if a name was not replaced), sound (a.), SAM (s.), further
// tokens (mtp.).
constexpr std::array<std::string_view, 6> kEmbedded = {"v.", "mm.",  "a.",
                                                       "s.", "mtp.", "model.vision_tower."};

bool is_embedded(std::string_view tensor) {
  return std::ranges::any_of(kEmbedded, [&](auto prefix) { return tensor.starts_with(prefix); });
}

bool is_absolute(std::string_view name) noexcept {
  return name.starts_with("general.") || name.starts_with("tokenizer.");
}

// Splits "blk.3.attn_q.weight" into "blk.3." and "attn_q.weight". Empty for names outside the
// layers.
std::pair<std::string_view, std::string_view> split_layer(std::string_view name) noexcept {
  constexpr std::string_view kLayer = "blk.";
  const std::size_t dot = name.starts_with(kLayer) ? name.find('.', kLayer.size()) : name.npos;
  if (dot == name.npos) return {};
  return {name.substr(0, dot + 1), name.substr(dot + 1)};
}

std::string architecture_of(const Gguf& gguf) {
  const auto name = gguf.find_string("general.architecture");
  if (!name) gguf.fail("key general.architecture is missing");
  return std::string(*name);
}

}  // namespace

bool has_embedded_parts(const Gguf& gguf) {
  return std::ranges::any_of(gguf.tensors(), is_embedded, &GgufTensor::name);
}

Translation::Translation(Gguf gguf, std::string_view becomes)
    : gguf_(std::move(gguf)),
      prefix_(architecture_of(gguf_) + '.'),
      new_prefix_(std::string(becomes) + '.'),
      keys_(kAlignment) {
  set("general.architecture", becomes);
}

std::string Translation::key(std::string_view name) const {
  return is_absolute(name) ? std::string(name) : prefix_ + std::string(name);
}

std::string Translation::new_key(std::string_view name) const {
  return is_absolute(name) ? std::string(name) : new_prefix_ + std::string(name);
}

std::optional<std::int64_t> Translation::number(std::string_view name) const {
  return gguf_.find_int(key(name));
}

std::optional<double> Translation::real(std::string_view name) const {
  return gguf_.find_float(key(name));
}

std::string_view Translation::text(std::string_view name) const {
  return gguf_.find_string(key(name)).value_or(std::string_view());
}

std::string Translation::replace(std::string_view name) {
  leave_out(name);
  return new_key(name);
}

void Translation::set(std::string_view name, std::uint32_t value) {
  keys_.add(replace(name), value);
}

void Translation::set(std::string_view name, float value) {
  keys_.add_float(replace(name), value);
}

void Translation::set(std::string_view name, std::string_view value) {
  keys_.add_text(replace(name), value);
}

void Translation::set(std::string_view name, std::span<const std::int32_t> values) {
  keys_.add_numbers(replace(name), values);
}

void Translation::set(std::string_view name, std::span<const float> values) {
  keys_.add_floats(replace(name), values);
}

void Translation::set(std::string_view name, std::span<const std::string> values) {
  keys_.add_texts(replace(name), values);
}

void Translation::rename(std::string_view from, std::string_view to) {
  if (has(from) && !has(to)) renamed_.emplace(key(from), new_key(to));
}

void Translation::leave_out(std::string_view name) {
  gone_.insert(key(name));
}

void Translation::rename_tensors(
    std::span<const std::pair<std::string_view, std::string_view>> names) {
  for (const auto& [from, to] : names) tensors_.emplace(from, to);
}

void Translation::copy_keys() {
  for (const GgufKey& one : gguf_.keys()) {
    if (gone_.contains(one.name)) continue;
    if (const auto found = renamed_.find(one.name); found != renamed_.end()) {
      keys_.add(found->second, one.raw);
    } else if (one.name.starts_with(prefix_)) {
      keys_.add(new_prefix_ + std::string(one.name.substr(prefix_.size())), one.raw);
    } else {
      keys_.add(one.name, one.raw);
    }
  }
}

std::optional<std::string> Translation::new_name(std::string_view tensor) const {
  const auto [layer, rest] = split_layer(tensor);
  const auto found = tensors_.find(rest);
  if (layer.empty() || found == tensors_.end()) return std::nullopt;
  return std::string(layer) + found->second;
}

Gguf Translation::finish() && {
  copy_keys();
  GgufContents contents = std::move(gguf_).take_apart();
  contents.metadata = keys_.bytes();
  std::erase_if(contents.tensors, [](const GgufTensor& t) { return is_embedded(t.name); });
  for (GgufTensor& tensor : contents.tensors) {
    if (auto name = new_name(tensor.name))
      tensor.name = contents.names.emplace_back(*std::move(name));
  }
  return Gguf(std::move(contents));
}

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
