// SPDX-License-Identifier: MIT
// The messages from the first to the last one shown, and functions on them. All functions are pure:
// a path is complete before it replaces another one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sessions/conversations/conversation.h"

namespace confab::app {

// The system prompt, if there is one, then what was said. An id of 0 means not saved yet.
using MessagePath = std::vector<sessions::Message>;

sessions::Message new_message(sessions::Role role, std::string content);
bool has_begun(const sessions::Message& answer) noexcept;  // it has some text

// How many messages at the beginning are not shown: 1 if there is a system prompt.
std::size_t n_hidden(const MessagePath& path) noexcept;
std::span<const sessions::Message> shown(const MessagePath& path) noexcept;

// The index in shown() of the question that this message is, or answers. Throws UserError if there
// is none.
std::size_t question_number(const MessagePath& path, std::size_t message);
// The model that gave the last answer, or "" if unknown.
std::string model_of(std::span<const sessions::Message> path);
// The path without the last n questions and their answers.
MessagePath without_last(const MessagePath& path, int n);
// Copies the messages without the first n questions and their answers, under another system prompt
// ("" for none). The copies are unsaved.
MessagePath copied(const MessagePath& path, int n_left_out, const std::string& system);
// A conversation with this one branch and new ids.
sessions::ConversationTree tree_of(const MessagePath& path);

}  // namespace confab::app
