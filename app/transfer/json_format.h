// SPDX-License-Identifier: MIT
// Our own JSON for conversations, which loses nothing: the whole tree, tokens, figures,
// attachments.
//
//   {"format": "confab-conversations", "version": 1, "conversations": [{
//     "title", "title_given", "pinned", "created", "updated",   times in ms since 1970
//     "head": number of a message,
//     "messages": [{                                            parents first, numbered from 1
//       "parent": number (not for a first message), "role", "state", "created", "content",
//       "reasoning", "tokens", "answer_begin", "tokenizer_hash", "model", "sampler",
//       "stats": {"n_prompt", "n_cached", "n_generated", "ttft", "prefill", "decode",
//                 "n_passes", "n_drafted", "n_accepted",       times in seconds; left out if 0
//                 "by_lookup", "by_model", "by_heads"},        {"n_drafted", "n_accepted"}
//       "attachments": [{"name", "size", "hash", "content"}],
//       "reading",                                              if not "usual"
//       "memory": {"kept", "begin", "noted", "note"}            see sessions::Memory
//     }]}]}
//
// Empty members are left out. A string that is not valid UTF-8 is written as {"base64": "..."}.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/transfer/json_cursor.h"
#include "sessions/conversations/conversation.h"

namespace confab::app {

inline constexpr std::string_view kJsonFormat = "confab-conversations";

std::string to_json(std::span<const sessions::ConversationTree> trees);
// Ids are the numbers in the file. Throws UserError.
std::vector<sessions::ConversationTree> from_json(const JsonCursor& root);

}  // namespace confab::app
