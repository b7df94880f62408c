// SPDX-License-Identifier: MIT
// JSON Schema (draft 2020-12, or the older one that it names) as a grammar of the JSON texts that
// are valid: properties in any order, white space as people write it.
//
// Nothing that is invalid is ever accepted: a keyword that cannot be honoured is refused, with the
// place where it stands, and so is a schema that nothing is valid under. Of strings, numbers and
// names that a schema limits in any way, one plain spelling is accepted: "a", not "\u0061".
#pragma once

#include <memory>
#include <string_view>

#include "engine/constrain/grammar.h"

namespace confab::engine {

enum class Formats {
  hold,  // "format" is held to, where it is one that the drafts define
  note,  // "format" says nothing about validity, which is what the drafts have by default
};

// Throws ModelError.
std::unique_ptr<Grammar> parse_json_schema(RegexSet& regexes, std::string_view text,
                                           Formats formats = Formats::hold);

}  // namespace confab::engine
