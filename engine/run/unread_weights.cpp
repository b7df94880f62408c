// SPDX-License-Identifier: MIT
#include "engine/run/unread_weights.h"

#include <functional>
#include <utility>

#include "engine/cache/block_store.h"
#include "engine/model/model.h"
#include "engine/model/tensor_reader.h"

namespace confab::engine {

namespace {

// Every pass reads it, so it stays in memory: not a table of which a token looks up a row, and not
// what nothing reads. See weights_use().
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

}  // namespace

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
