// SPDX-License-Identifier: MIT
// A question, from what was typed, attached and piped in to the prompt that the model reads, and
// how it is to be answered. All who ask, count, read ahead or export compose it here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "sessions/conversations/message.h"

namespace confab::app {

struct Question {
  // Text alone is a question, so these convert.
  Question(const char* question) : text(question) {}
  Question(std::string question, std::vector<sessions::Attachment> files = {},
           std::optional<AnswerOptions> answered_with = {})
      : text(std::move(question)),
        attachments(std::move(files)),
        options(std::move(answered_with)) {}
  bool operator==(const Question&) const = default;

  std::string text;
  std::vector<sessions::Attachment> attachments;
  // Of its answer alone: sampling, length, and what the template is told. None: those of the chat.
  std::optional<AnswerOptions> options;
};

// As it is kept: with the files apart from the text.
sessions::Message message_of(Question question);
Question question_of(const sessions::NewMessage& message);
// As the model reads it. The attachments first, each named and fenced, then the text: the same
// files asked about again are the same beginning, which the prompt cache knows. Those whose content
// is not kept are left out: it is part of the text then.
std::string prompt_of(const sessions::NewMessage& message);
std::string prompt_of(const Question& question);

}  // namespace confab::app
