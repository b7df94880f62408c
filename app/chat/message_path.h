// SPDX-License-Identifier: MIT
// The messages from the first to the one that is shown last, and what can be made of them. All
// functions are pure: a path is made whole before it takes the place of another one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sessions/conversations/conversation.h"

namespace confab::app {

// The system prompt, if there is one, then what was said. An id of 0: not saved yet.
using MessagePath = std::vector<sessions::Message>;

sessions::Message new_message(sessions::Role role, std::string content);
bool has_begun(const sessions::Message& answer) noexcept;  // there is something of it

// Messages at the beginning that are not shown: the system prompt.
std::size_t n_hidden(const MessagePath& path) noexcept;
std::span<const sessions::Message> shown(const MessagePath& path) noexcept;

// The number in shown() of the question that a message is, or answers. Throws UserError when there
// is none.
std::size_t question_number(const MessagePath& path, std::size_t message);
// The model that gave the last answer; empty: nobody knows.
std::string model_of(std::span<const sessions::Message> path);
// Without the last n questions and their answers.
MessagePath without_last(const MessagePath& path, int n);
// The same messages without the first n questions and their answers, under another system prompt
// (empty: none), as new ones that are not saved.
MessagePath copied(const MessagePath& path, int n_left_out, const std::string& system);
// As a conversation of one branch, with ids of its own.
sessions::ConversationTree tree_of(const MessagePath& path);

}  // namespace confab::app
