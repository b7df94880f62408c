// SPDX-License-Identifier: MIT
#include "app/chat/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "app/chat/message_path.h"

namespace confab::app {
namespace {

// A fence longer than any run of backquotes in the text, so that the text cannot close it.
std::string fence_for(const std::string& text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max<std::size_t>(3, longest + 1), '`');
}

std::string compose(std::span<const sessions::Attachment> attachments, const std::string& text) {
  std::string prompt;
  for (const sessions::Attachment& file : attachments) {
    if (!file.content) continue;
    const std::string& content = *file.content;
    const std::string fence = fence_for(content);
    const bool ends_line = !content.empty() && content.back() == '\n';
    if (file.name != "-") prompt += fmt::format("{}:\n", file.name);
    if (file.name == "-" && attachments.size() == 1)
      prompt += fmt::format("{}{}\n", content, ends_line ? "" : "\n");
    else
      prompt += fmt::format("{}\n{}{}{}\n\n", fence, content, ends_line ? "" : "\n", fence);
  }
  return prompt + text;
}

}  // namespace

sessions::Message message_of(Question question) {
  sessions::Message message = new_message(sessions::Role::user, std::move(question.text));
  message.attachments = std::move(question.attachments);
  return message;
}

Question question_of(const sessions::NewMessage& message) {
  return {message.content, message.attachments};
}

std::string prompt_of(const sessions::NewMessage& message) {
  return compose(message.attachments, message.content);
}

std::string prompt_of(const Question& question) {
  return compose(question.attachments, question.text);
}

std::optional<WaitingQuestion> WaitingQuestions::next() {
  if (questions_.empty()) return std::nullopt;
  WaitingQuestion question = std::move(questions_.front());
  questions_.pop_front();
  return question;
}

std::optional<WaitingQuestion> WaitingQuestions::take_last() {
  if (questions_.empty()) return std::nullopt;
  WaitingQuestion question = std::move(questions_.back());
  questions_.pop_back();
  return question;
}

WaitingQuestion WaitingQuestions::take_back(std::string_view draft) {
  WaitingQuestion all{""};
  for (WaitingQuestion& question : questions_) {
    all.text += question.text + '\n';
    std::ranges::move(question.files, std::back_inserter(all.files));
  }
  questions_.clear();
  if (draft.empty() && !all.text.empty()) all.text.pop_back();
  all.text.append(draft);
  return all;
}

}  // namespace confab::app
