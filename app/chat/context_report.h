// SPDX-License-Identifier: MIT
// What the model reads of a conversation, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/chat/chat_state.h"

namespace confab::app {

struct ContextRow {
  std::size_t question = 0;  // which one it is, or answers, from 1; 0: none of them
  std::size_t message = 0;   // in messages()
  int n_tokens = 0;
  bool is_read = false;
  bool is_pinned = false;
  bool begins_memory = false;  // from here on all is read that the person has not dropped
  std::string who;             // "you", "answer"
  std::string text;            // its first words, on one line, sanitised
};
// One for each of messages(). Throws ModelError.
std::vector<ContextRow> context_rows(const ChatState& chat);
// As a table with a bar for each message. Throws ModelError.
std::string describe_context(const ChatState& chat);
// "shift: the oldest questions go", of what is done when the context is full.
std::string describe_overflow(const ContextPolicy& policy);

// Questions that the model does not read.
std::size_t n_left_out(const ChatState& chat);
// "the model's memory begins here (3 questions left out; /context)".
std::string memory_line(const ChatState& chat);
// A line above each of messages() of which there is something to say; most are empty.
std::vector<std::string> memory_labels(const ChatState& chat);
// That the memory begins elsewhere now, with the words that it begins with.
std::string memory_notice(const ChatState& chat);

}  // namespace confab::app
