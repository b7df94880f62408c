// SPDX-License-Identifier: MIT
// The text of an answer, as its tokens come.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/prompt/reasoning_format.h"
#include "engine/prompt/reasoning_stream.h"
#include "engine/text/tokenizer.h"
#include "engine/text/utf8_stream.h"

namespace confab::engine {

// Finds the end of an answer where one of some strings appears in its bytes.
//
// The first string to be complete wins, of several the longest, so the result does not depend on
// how the bytes were cut into tokens.
class StopStrings {
 public:
  // Empty strings are ignored.
  explicit StopStrings(std::vector<std::string> strings);

  // Appends to `out` the bytes that can no longer be part of a stop string. True when one is
  // complete: its bytes and all later ones are dropped.
  bool push(std::string_view bytes, std::string& out);
  // The end: what was held back was no stop string after all.
  void finish(std::string& out);

 private:
  std::vector<std::string> strings_;  // longest first
  std::string held_ = {};             // the start of a stop string, perhaps
};

// What one more token made certain; whole characters.
struct AnswerDelta {
  std::string reasoning = {};
  std::string text = {};
  // All text of the answer so far was reasoning, and this ends it.
  bool takes_back = false;
};

class AnswerText {
 public:
  // The tokenizer and the format must outlive the object. format: null when the model does not
  // reason; reasoning_open: the prompt has begun the reasoning. Stop strings end the answer, not
  // the reasoning.
  AnswerText(const Tokenizer& tokenizer, std::vector<std::string> stop,
             const ReasoningFormat* format = nullptr, bool reasoning_open = false);

  // Appends to `delta`. True when a stop string is complete: it and what follows are not part of
  // the text.
  bool add(Token token, AnswerDelta& delta);
  // The end: appends what was held back, also before a stop string.
  void finish(AnswerDelta& delta);
  // The bytes that the last add() found to belong to the answer, whole characters or not.
  std::string_view answer_bytes() const noexcept { return answer_; }
  bool in_reasoning() const noexcept { return parts_.in_reasoning(); }
  // The answer has begun: nothing of it is reasoning any more.
  bool in_answer() const noexcept { return parts_.in_answer(); }
  // See ReasoningStream.
  void keep_answer() noexcept { parts_.keep_answer(); }
  // Whether text may be put in here: not inside a character of the reasoning, nor inside what may
  // become the marker that closes it.
  bool at_boundary() const noexcept {
    return reasoning_utf8_.is_whole() && !parts_.may_be_closing();
  }

 private:
  std::string_view bytes_of(Token token) const;
  bool push_answer(AnswerDelta& delta);
  void take_back(AnswerDelta& delta);

  const Tokenizer& tokenizer_;
  const ReasoningFormat* format_;
  ReasoningStream parts_;
  StopStrings stop_;
  Utf8Stream reasoning_utf8_ = {};
  Utf8Stream text_utf8_ = {};
  std::string reasoning_ = {};
  std::string answer_ = {};
  std::string bytes_ = {};
};

// The text that these tokens gave when they were an answer without reasoning and stop strings.
std::string text_of_answer(const Tokenizer& tokenizer, std::span<const Token> tokens);

}  // namespace confab::engine
