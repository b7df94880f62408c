// SPDX-License-Identifier: MIT
#include "engine/answer_text.h"

#include <utility>

namespace confab::engine {

AnswerText::AnswerText(const Tokenizer& tokenizer, std::vector<std::string> stop)
    : tokenizer_(tokenizer), stop_(std::move(stop)) {}

bool AnswerText::add(Token token, std::string& text) {
  bytes_.clear();
  const bool stopped = stop_.push(tokenizer_.piece(token, false), bytes_);
  utf8_.push(bytes_, text);
  return stopped;
}

void AnswerText::finish(std::string& text) {
  bytes_.clear();
  stop_.finish(bytes_);
  utf8_.push(bytes_, text);
  utf8_.finish(text);
}

std::string text_of_answer(const Tokenizer& tokenizer, std::span<const Token> tokens) {
  AnswerText answer(tokenizer, {});
  std::string text;
  for (const Token token : tokens) answer.add(token, text);
  answer.finish(text);
  return text;
}

}  // namespace confab::engine
