// SPDX-License-Identifier: MIT
// The part of a regular expression that stands for one character: a character, an escape, a class.
#pragma once

#include "engine/constrain/characters.h"
#include "engine/constrain/pattern_text.h"

namespace confab::engine {

// Reads one; there is one. Throws ModelError.
CharacterSet parse_character_set(PatternText& text);

}  // namespace confab::engine
