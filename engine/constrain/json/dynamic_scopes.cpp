// SPDX-License-Identifier: MIT
#include "engine/constrain/json/dynamic_scopes.h"

#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxScopes = 1000;

}  // namespace

DynamicScopes::Id DynamicScopes::enter(Id from, const SchemaNode& node) {
  const auto& anchors = document_.dynamic_anchors(node);
  if (anchors.empty()) return from;
  if (scopes_.size() > kMaxScopes)
    throw ModelError("leads through too many schemas with dynamic anchors");
  Scope scope = scopes_[static_cast<std::size_t>(from)];
  scope.insert(anchors.begin(), anchors.end());
  const auto [at, is_new] = ids_.try_emplace(scope, static_cast<Id>(scopes_.size()));
  if (is_new) scopes_.push_back(std::move(scope));
  return at->second;
}

const SchemaNode& DynamicScopes::resolve(Id in, const SchemaNode& target,
                                         const std::string& reference) const {
  const auto& anchors = document_.dynamic_anchors(target);
  const std::string name =
      reference.substr(std::min(reference.find('#'), reference.size() - 1) + 1);
  const auto own = anchors.find(name);
  if (own == anchors.end() || own->second != &target) return target;
  const Scope& scope = scopes_[static_cast<std::size_t>(in)];
  const auto first = scope.find(name);
  return first == scope.end() ? target : *first->second;
}

}  // namespace confab::engine
