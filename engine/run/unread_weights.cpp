// SPDX-License-Identifier: MIT
#include "engine/run/unread_weights.h"

#include <utility>

#include "engine/cache/block_store.h"
#include "engine/model/model.h"

namespace confab::engine {

UnreadWeights::UnreadWeights(const Model& model, const ContextPlan& plan, CacheTraits traits,
                             kernels::ThreadPool& pool)
    : model_(model), plan_(plan), traits_(std::move(traits)), digest_(model.gguf, pool) {}

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
