// SPDX-License-Identifier: MIT
#include "engine/prompt/answer_text.h"

#include <algorithm>
#include <utility>

namespace confab::engine {
namespace {

// The length of the longest tail of `bytes` that is a proper prefix of `string`.
std::size_t tail_that_starts(std::string_view bytes, std::string_view string) noexcept {
  std::size_t n = std::min(bytes.size(), string.size() - 1);
  while (n > 0 && !string.starts_with(bytes.substr(bytes.size() - n))) --n;
  return n;
}

}  // namespace

StopStrings::StopStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {
  std::erase_if(strings_, [](const std::string& s) { return s.empty(); });
  std::sort(strings_.begin(), strings_.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

bool StopStrings::push(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    held_ += c;
    std::size_t n_held = 0;
    for (const std::string& stop : strings_) {
      if (held_.ends_with(stop)) {
        out.append(held_, 0, held_.size() - stop.size());
        held_.clear();
        return true;
      }
      n_held = std::max(n_held, tail_that_starts(held_, stop));
    }
    out.append(held_, 0, held_.size() - n_held);
    held_.erase(0, held_.size() - n_held);
  }
  return false;
}

void StopStrings::finish(std::string& out) {
  out += held_;
  held_.clear();
}

AnswerText::AnswerText(const Tokenizer& tokenizer, std::vector<std::string> stop,
                       const ReasoningFormat* format, bool reasoning_open)
    : tokenizer_(tokenizer),
      format_(format),
      parts_(format, reasoning_open),
      stop_(std::move(stop)) {}

// Control tokens have no text in an answer, but reasoning markers may consist of them.
std::string_view AnswerText::bytes_of(Token token) const {
  const std::string_view text = tokenizer_.piece(token, false);
  if (!text.empty() || parts_.in_answer()) return text;
  const std::string_view shown = tokenizer_.piece(token, true);
  return !shown.empty() && format_->mentions(shown) ? shown : text;
}

bool AnswerText::push_answer(AnswerDelta& delta) {
  bytes_.clear();
  const bool stopped = stop_.push(answer_, bytes_);
  text_utf8_.push(bytes_, delta.text);
  return stopped;
}

bool AnswerText::add(Token token, AnswerDelta& delta) {
  reasoning_.clear();
  answer_.clear();
  parts_.push(bytes_of(token), reasoning_, answer_);
  if (parts_.took_back()) take_back(delta);
  reasoning_utf8_.push(reasoning_, delta.reasoning);
  return push_answer(delta);
}

// Bytes held back for a possible stop string or an unfinished character are reasoning, too.
void AnswerText::take_back(AnswerDelta& delta) {
  bytes_.clear();
  stop_.finish(bytes_);
  delta.reasoning += std::exchange(delta.text, {});
  text_utf8_.push(bytes_, delta.reasoning);
  text_utf8_.finish(delta.reasoning);
  delta.takes_back = true;
}

void AnswerText::finish(AnswerDelta& delta) {
  reasoning_.clear();
  answer_.clear();
  parts_.finish(reasoning_, answer_);
  reasoning_utf8_.push(reasoning_, delta.reasoning);
  reasoning_utf8_.finish(delta.reasoning);
  push_answer(delta);
  bytes_.clear();
  stop_.finish(bytes_);
  text_utf8_.push(bytes_, delta.text);
  text_utf8_.finish(delta.text);
}

std::string text_of_answer(const Tokenizer& tokenizer, std::span<const Token> tokens) {
  AnswerText answer(tokenizer, {});
  AnswerDelta delta;
  for (const Token token : tokens) answer.add(token, delta);
  answer.finish(delta);
  return std::move(delta.text);
}

}  // namespace confab::engine
