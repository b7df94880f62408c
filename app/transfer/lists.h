// SPDX-License-Identifier: MIT
// Conversations, what was found in them, and their branches, as lines of text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/branches.h"
#include "sessions/conversations/conversation.h"
#include "sessions/conversations/search.h"

namespace confab::app {

// What stands around a word that was looked for.
struct Emphasis {
  std::string_view begin = "[";
  std::string_view end = "]";
};
// Bold where standard output may have colours (ui/color.h); else brackets.
Emphasis emphasis_for_stdout();

// "2026-11-22 09:41", in local time.
std::string when(sessions::Time time);

// "#7": what means this conversation and no other, whatever their titles are.
std::string number_of(sessions::ConversationId id);
// For each of them, of all there are, what means it and no other: its title, or its number where
// others have that title or it reads like a number.
std::vector<std::string> names_of(std::span<const sessions::Conversation> conversations);

// Everything that is from conversations is sanitised; line breaks in titles are spaces.
std::string describe_conversations(std::span<const sessions::Conversation> conversations);
std::string describe_hits(std::span<const sessions::SearchHit> hits, const Emphasis& emphasis = {});
// With the numbers that /branch takes, from 1.
std::string describe_branches(std::span<const sessions::Branch> branches);

}  // namespace confab::app
