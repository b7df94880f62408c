// SPDX-License-Identifier: MIT
// Any text as a regular expression, of whole texts and of JSON strings: a ModelError, or one that
// can be walked to an end from everywhere.
#include <cstddef>
#include <cstdint>

#include "engine/constrain/grammar.h"
#include "engine/constrain/pattern.h"
#include "tests/fuzz/walk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace confab::engine;
  for (const auto parse : {parse_pattern, parse_json_pattern})
    walk_input({reinterpret_cast<const char*>(data), size},
               [&](RegexSet& regexes, std::string_view text) {
                 const RegexId whole = parse(regexes, text);
                 return std::make_unique<StaticGrammar>(regexes, whole);
               });
  return 0;
}
