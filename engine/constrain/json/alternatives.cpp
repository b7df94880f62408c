// SPDX-License-Identifier: MIT
#include "engine/constrain/json/alternatives.h"

#include <algorithm>
#include <utility>

#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMostAlternatives = 64;

}  // namespace

void unite(Shapes& shapes, Alternatives& to, Alternative one) {
  const auto same = std::ranges::find(to, one.evaluated, &Alternative::evaluated);
  if (same != to.end()) {
    same->shape = shapes.unite(same->shape, one.shape);
    return;
  }
  if (to.size() >= kMostAlternatives)
    throw ModelError("has too many alternatives for unevaluatedProperties or unevaluatedItems");
  to.push_back(std::move(one));
}

void unite(Shapes& shapes, Alternatives& to, Alternatives more) {
  for (Alternative& one : more) unite(shapes, to, std::move(one));
}

void intersect(Shapes& shapes, Alternatives& alternatives, const Alternatives& by) {
  Alternatives common;
  const bool is_one = alternatives.size() == 1 && by.size() == 1;
  for (Alternative& a : alternatives)
    for (const Alternative& b : by) {
      shapes.effort().spend(a.evaluated.size() + b.evaluated.size());
      Alternative both{shapes.intersect(a.shape, b.shape), a.evaluated};
      both.evaluated.add(b.evaluated);
      if (is_one || !shapes.is_never(both.shape)) unite(shapes, common, std::move(both));
    }
  alternatives = std::move(common);
}

Alternatives some_of(Shapes& shapes, const std::vector<Alternatives>& branches) {
  Alternatives some;
  for (const Alternatives& branch : branches) {
    Alternatives more = some;
    for (const Alternative& one : branch) {
      unite(shapes, more, one);
      for (const Alternative& other : some) {
        shapes.effort().spend(4 * (one.evaluated.size() + other.evaluated.size()));
        // Where one of them has all marks of both, it is no less than both together.
        if (one.evaluated.covers(other.evaluated) || other.evaluated.covers(one.evaluated))
          continue;
        Alternative both{shapes.intersect(one.shape, other.shape), one.evaluated};
        both.evaluated.add(other.evaluated);
        if (!shapes.is_never(both.shape)) unite(shapes, more, std::move(both));
      }
    }
    some = std::move(more);
  }
  return some;
}

Shape whole(Shapes& shapes, Alternatives alternatives) {
  Shape all;
  if (!alternatives.empty()) all = std::move(alternatives.front().shape);
  for (std::size_t i = 1; i < alternatives.size(); ++i)
    all = shapes.unite(all, alternatives[i].shape);
  return all;
}

}  // namespace confab::engine
