// SPDX-License-Identifier: MIT
// Any text as a JSON Schema: a ModelError, or one that can be walked to an end from everywhere.
#include <cstddef>
#include <cstdint>

#include "engine/constrain/json/json_schema.h"
#include "tests/fuzz/walk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace confab::engine;
  walk_input(
      {reinterpret_cast<const char*>(data), size},
      [](RegexSet& regexes, std::string_view text) { return parse_json_schema(regexes, text); });
  return 0;
}
