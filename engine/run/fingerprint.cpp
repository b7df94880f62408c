// SPDX-License-Identifier: MIT
#include "engine/run/fingerprint.h"

#include <fmt/format.h>

#include <bit>
#include <functional>
#include <type_traits>
#include <utility>

#include "engine/cache/block_store.h"
#include "engine/cache/kv_cache.h"
#include "engine/content_hash.h"
#include "engine/cpu/rope.h"
#include "engine/model/model.h"
#include "engine/model/tensor_reader.h"
#include "engine/run/context_plan.h"
#include "kernels/isa.h"

namespace confab::engine {

namespace {

// Selects the tensors that every pass reads and that therefore stay in memory. Leaves out tables of
// which a token uses one row, and tensors that are never read. See weights_use().
std::function<bool(const GgufTensor&)> is_read_by_passes(const Model& model) {
  return [&model](const GgufTensor& tensor) {
    const Weights& w = model.weights;
    const std::byte* const data = tensor.data.data();
    for (const Matrix* table : {&w.token_embd, &w.per_layer_token_embd}) {
      if (table->file != nullptr && data == table->rows.data) return false;
    }
    return model.hparams.has_nextn_head() || reason_to_leave(tensor.name, model.hparams).empty();
  };
}

// Raise it when bytes of a KV block move or change their meaning.
constexpr int kLayoutVersion = 2;
// Raise it when a kernel or the forward pass rounds differently.
constexpr int kNumericsVersion = 6;

template <typename Scalar>
void add_value(ContentHash& hash, const Scalar& value) {
  if constexpr (std::is_same_v<Scalar, std::string_view>) {
    hash.add(value);
  } else if constexpr (std::is_floating_point_v<Scalar>) {
    hash.add(std::bit_cast<std::uint64_t>(double{value}));
  } else {
    hash.add(static_cast<std::uint64_t>(value));
  }
}

void add_value(ContentHash& hash, const GgufArray& array) {
  std::visit(
      [&hash](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        hash.add(values.size());
        for (const Value value : values) add_value(hash, value);
      },
      array);
}

void add_key(ContentHash& hash, const GgufKey& key) {
  hash.add(key.name);
  hash.add(key.value.index());
  std::visit([&hash](const auto& value) { add_value(hash, value); }, key.value);
}

void add_tensor(ContentHash& hash, const GgufTensor& tensor) {
  hash.add(tensor.name);
  hash.add(static_cast<std::uint64_t>(tensor.dtype));
  for (const std::int64_t dim : tensor.shape) hash.add(static_cast<std::uint64_t>(dim));
  if (tensor.side.scales == nullptr) return;
  for (const std::int64_t n : {tensor.side.group_rows, tensor.side.group_cols})
    hash.add(static_cast<std::uint64_t>(n));
}

std::string metadata_hash(const Gguf& gguf) {
  ContentHash hash;
  for (const GgufKey& key : gguf.keys()) {
    const bool about_tokens = key.name.starts_with("tokenizer.");
    const bool about_names = key.name.starts_with("general.") && key.name != "general.architecture";
    if (!about_tokens && !about_names) add_key(hash, key);
  }
  for (const GgufTensor& tensor : gguf.tensors()) add_tensor(hash, tensor);
  return hash.hex();
}

// Hash of the rotations of keys in a context of this size.
std::string rope_hash(const Model& model, int n_ctx) {
  ContentHash hash;
  for (const Rope& rope : make_ropes(model.hparams, model.weights, n_ctx)) {
    for (const double frequency : rope.frequencies()) add_value(hash, frequency);
    add_value(hash, rope.magnitude());
  }
  return hash.hex();
}

}  // namespace

std::string cache_fingerprint(const Model& model, const ContextPlan& plan,
                              const CacheTraits& traits) {
  return fmt::format(
      "weights={} model={} rope={} kv={}/{} block={} layout={} numerics={} isa={} exact={}{}{}",
      traits.weights_digest, metadata_hash(model.gguf), rope_hash(model, plan.n_ctx),
      kernels::info(plan.type_k).name, kernels::info(plan.type_v).name, kBlockTokens,
      kLayoutVersion, kNumericsVersion, kernels::name(traits.isa), traits.exact,
      model.hparams.has_nextn_head() ? " head" : "",
      traits.device.empty() ? "" : " device=" + traits.device);
}

std::string tokenizer_hash(const Gguf& gguf, std::string_view chat_template) {
  ContentHash hash;
  for (const GgufKey& key : gguf.keys()) {
    const bool is_template = key.name.starts_with("tokenizer.chat_template");
    if (key.name.starts_with("tokenizer.") && !is_template) add_key(hash, key);
  }
  hash.add(chat_template);
  return hash.hex();
}

UnreadWeights::UnreadWeights(const Model& model, const ContextPlan& plan, CacheTraits traits,
                             kernels::ThreadPool& pool)
    : model_(model),
      plan_(plan),
      traits_(std::move(traits)),
      digest_(model.gguf, pool, is_read_by_passes(model)) {}

std::string UnreadWeights::fact_name() const {
  return "weights of " + model_.gguf.identity();
}

std::string UnreadWeights::fingerprint(std::string digest) {
  traits_.weights_digest = std::move(digest);
  std::string found = cache_fingerprint(model_, plan_, traits_);
  return model_.gguf.state() == FileState::same ? found : std::string();
}

std::optional<std::string> UnreadWeights::recall(BlockStore& store) {
  std::optional<std::string> known = store.recall(fact_name());
  return known ? std::optional(fingerprint(*std::move(known))) : std::nullopt;
}

std::optional<std::string> UnreadWeights::read(BlockStore& store) {
  digest_.step();
  if (!digest_.done()) return std::nullopt;
  std::string found = fingerprint(digest_.hex());
  if (!found.empty()) store.remember(fact_name(), traits_.weights_digest);
  return found;
}

}  // namespace confab::engine
