// SPDX-License-Identifier: MIT
// The values that are valid under a schema, in parts of which the same has been evaluated.
//
// A value may be in several parts. It has been evaluated then as these say together, which is a
// part as well where it is more than one of them says: so what is not evaluated may be limited part
// by part.
#pragma once

#include <vector>

#include "engine/constrain/json/evaluated.h"
#include "engine/constrain/json/json_shape.h"

namespace confab::engine {

struct Alternative {
  Shape shape;
  Evaluated evaluated = {};
};
using Alternatives = std::vector<Alternative>;  // none: no value

// A part that is evaluated like one that is there becomes one with it. Throws ModelError when there
// are too many.
void unite(Shapes& shapes, Alternatives& to, Alternative one);
void unite(Shapes& shapes, Alternatives& to, Alternatives more);
// What is in both.
void intersect(Shapes& shapes, Alternatives& alternatives, const Alternatives& by);
// What is in one of the branches or in several, of which each has been evaluated.
Alternatives some_of(Shapes& shapes, const std::vector<Alternatives>& branches);
// All values, whatever has been evaluated.
Shape whole(Shapes& shapes, Alternatives alternatives);

}  // namespace confab::engine
