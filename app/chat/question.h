// SPDX-License-Identifier: MIT
// A question: the text, its attachments, and how it is to be answered. Also makes the prompt that
// the model reads. Asking, counting, reading ahead and exporting all use this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "sessions/conversations/message.h"

namespace confab::app {

struct Question {
  // A plain text is a question, so these convert.
  Question(const char* question) : text(question) {}
  Question(std::string question, std::vector<sessions::Attachment> files = {},
           std::optional<AnswerOptions> answered_with = {})
      : text(std::move(question)),
        attachments(std::move(files)),
        options(std::move(answered_with)) {}
  bool operator==(const Question&) const = default;

  std::string text;
  std::vector<sessions::Attachment> attachments;
  // For this answer only: sampling, length and template settings. nullopt uses the chat's options.
  std::optional<AnswerOptions> options;
};

// The message to keep: the files stay apart from the text.
sessions::Message message_of(Question question);
Question question_of(const sessions::NewMessage& message);
// The text that the model reads: the attachments first, each named and fenced, then the question.
// Asking about the same files again gives the same beginning, which the prompt cache knows.
// Attachments without kept content are left out, as their content is part of the text.
std::string prompt_of(const sessions::NewMessage& message);
std::string prompt_of(const Question& question);

}  // namespace confab::app
