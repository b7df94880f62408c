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

// The prompt of `confab -p TEXT FILE...`: what is piped into standard input (see standard_input.h),
// unless a file is called "-" and stands for it, then the files, then the text. Where there is no
// text, what is piped in is the text. Waiting is told on standard error. Throws UserError when
// something cannot be read.
Question read_question(const ChatOptions& options);
// Reads a file as text. Throws UserError when it cannot be read, or is not text (a NUL byte).
sessions::Attachment read_attachment(const std::string& path);

// As it is kept: with the files apart from the text.
sessions::Message message_of(Question question);
Question question_of(const sessions::NewMessage& message);
// As the model reads it. The attachments first, each named and fenced, then the text: the same
// files asked about again are the same beginning, which the prompt cache knows. Those whose content
// is not kept are left out: it is part of the text then.
std::string prompt_of(const sessions::NewMessage& message);
std::string prompt_of(const Question& question);

}  // namespace confab::app
