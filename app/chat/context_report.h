// SPDX-License-Identifier: MIT
// Describes in words what the model reads of a conversation.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/chat/chat_state.h"

namespace confab::app {

struct ContextRow {
  std::size_t question = 0;  // from 1: the question that this is, or answers; 0 if none
  std::size_t message = 0;   // index into messages()
  int n_tokens = 0;
  bool is_read = false;
  bool is_pinned = false;
  bool begins_memory = false;  // the model reads from here on, except dropped turns
  std::string who;             // "you", "answer"
  std::string text;            // its first words, on one line, sanitised
};
// One row for each of messages(). Throws ModelError.
std::vector<ContextRow> context_rows(const ChatState& chat);
// A table with a bar for each message. Throws ModelError.
std::string describe_context(const ChatState& chat);
// "shift: the oldest questions go".
std::string describe_overflow(const ContextPolicy& policy);

// How many questions the model does not read.
std::size_t n_left_out(const ChatState& chat);
// "the model's memory begins here (3 questions left out; /context)".
std::string memory_line(const ChatState& chat);
// A line to show above each of messages(); most are empty.
std::vector<std::string> memory_labels(const ChatState& chat);
// Says where the model's memory now begins, with the first words there.
std::string memory_notice(const ChatState& chat);

}  // namespace confab::app
