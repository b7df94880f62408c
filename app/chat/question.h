// SPDX-License-Identifier: MIT
// A question: the text, its attachments, and how it is to be answered. Also makes the prompt that
// the model reads. Asking, counting, reading ahead and exporting all use this.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options.h"
#include "sessions/conversations/attachment.h"
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

// Questions and commands typed while an answer was being written, in their order.
struct WaitingQuestion {
  std::string text;
  std::vector<sessions::Attachment> files = {};  // attached when it was typed
};

class WaitingQuestions {
 public:
  void add(WaitingQuestion question) { questions_.push_back(std::move(question)); }
  std::size_t size() const noexcept { return questions_.size(); }
  const std::deque<WaitingQuestion>& all() const noexcept { return questions_; }
  void clear() noexcept { questions_.clear(); }

  std::optional<WaitingQuestion> next();       // removes and returns the first
  std::optional<WaitingQuestion> take_last();  // removes and returns the last, to be edited
  // Removes all of them and returns their texts, followed by `draft`, as one text to edit, with all
  // their files.
  WaitingQuestion take_back(std::string_view draft);

 private:
  std::deque<WaitingQuestion> questions_;
};

}  // namespace confab::app
