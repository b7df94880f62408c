// SPDX-License-Identifier: MIT
// Conversations, search results and branches as lines of text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/branches.h"
#include "sessions/conversations/conversation.h"
#include "sessions/conversations/search.h"

namespace confab::app {

// The text around a word that was searched for.
struct Emphasis {
  std::string_view begin = "[";
  std::string_view end = "]";
};
// Bold if standard output may have colours (ui/color.h), otherwise brackets.
Emphasis emphasis_for_stdout();

// "2026-11-22 09:41", in local time.
std::string when(sessions::Time time);

// "#7": identifies this conversation, whatever the titles are.
std::string number_of(sessions::ConversationId id);
// For each conversation, a name that identifies it among all of them: its title, or its number if
// others share the title or it looks like a number.
std::vector<std::string> names_of(std::span<const sessions::Conversation> conversations);

// All text from conversations is sanitised; line breaks in titles become spaces.
std::string describe_conversations(std::span<const sessions::Conversation> conversations);
std::string describe_hits(std::span<const sessions::SearchHit> hits, const Emphasis& emphasis = {});
// Lists branches with the numbers that /branch takes, counted from 1.
std::string describe_branches(std::span<const sessions::Branch> branches);

}  // namespace confab::app
