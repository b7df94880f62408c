// SPDX-License-Identifier: MIT
// Any text as a file of conversations: a UserError, or conversations that the database takes, and
// that come back from an export as they were.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "app/error.h"
#include "app/transfer/import.h"
#include "app/transfer/json_format.h"
#include "sessions/conversations/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace confab;
  const std::string text(reinterpret_cast<const char*>(data), size);
  app::Import import;
  try {
    import = app::parse_import(text, "fuzz.json");
  } catch (const app::UserError&) {
    return 0;
  }
  for (const sessions::ConversationTree& tree : import.conversations) sessions::check_tree(tree);
  const std::string exported = app::to_json(import.conversations);
  const app::Import again = app::parse_import(exported, "again.json");
  if (app::to_json(again.conversations) != exported) std::abort();
  return 0;
}
