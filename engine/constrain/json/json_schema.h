// SPDX-License-Identifier: MIT
// Turns a JSON Schema (draft 2020-12, or the older draft that it names) into a grammar of the valid
// JSON texts, with properties in any order and white space as people write it.
//
// The grammar never accepts anything invalid. A keyword that cannot be honoured is refused, with
// its place in the schema, and so is a schema under which nothing is valid. Strings, numbers and
// names that the schema limits are accepted in one plain spelling only: "a", not "\u0061".
#pragma once

#include <memory>
#include <string_view>

#include "engine/constrain/grammar.h"

namespace confab::engine {

enum class Formats {
  hold,  // "format" is enforced if the drafts define it
  note,  // "format" does not affect validity, which is the default of the drafts
};

// Throws ModelError.
std::unique_ptr<Grammar> parse_json_schema(RegexSet& regexes, std::string_view text,
                                           Formats formats = Formats::hold);

}  // namespace confab::engine
