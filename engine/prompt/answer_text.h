// SPDX-License-Identifier: MIT
// Turns the tokens of an answer into text as they arrive.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/prompt/reasoning_format.h"
#include "engine/prompt/reasoning_stream.h"
#include "engine/text/tokenizer.h"
#include "engine/utf8.h"

namespace confab::engine {

// Ends an answer at the first stop string that appears in its bytes.
//
// The string that is complete first wins; if several are complete at the same byte, the longest
// wins. So the result does not depend on how the bytes were cut into tokens.
class StopStrings {
 public:
  // Empty strings are ignored.
  explicit StopStrings(std::vector<std::string> strings);

  // Appends to `out` the bytes that can no longer be part of a stop string. Returns true when a
  // stop string is complete; its bytes and all later bytes are dropped.
  bool push(std::string_view bytes, std::string& out);
  // Call at the end of the answer. Appends the bytes that were held back, which are not a stop
  // string after all.
  void finish(std::string& out);

 private:
  std::vector<std::string> strings_;  // longest first
  std::string held_ = {};             // may be the start of a stop string
};

// The text that one more token made certain, in whole characters.
struct AnswerDelta {
  std::string reasoning = {};
  std::string text = {};
  // All the text given out so far as the answer was reasoning, and the reasoning ends here.
  bool takes_back = false;
};

class AnswerText {
 public:
  // The tokenizer and the format must outlive the object. `format` is null if the model does not
  // reason. `reasoning_open` means that the prompt has already begun the reasoning. Stop strings
  // end the answer, not the reasoning.
  AnswerText(const Tokenizer& tokenizer, std::vector<std::string> stop,
             const ReasoningFormat* format = nullptr, bool reasoning_open = false);

  // Appends to `delta`. Returns true when a stop string is complete: the string and everything
  // after it are not part of the text.
  bool add(Token token, AnswerDelta& delta);
  // Call once at the end, also after a stop string. Appends what was still held back.
  void finish(AnswerDelta& delta);
  // The bytes of the last add() that belong to the answer. They may end inside a character.
  std::string_view answer_bytes() const noexcept { return answer_; }
  bool in_reasoning() const noexcept { return parts_.in_reasoning(); }
  // Whether the text that comes next belongs to the answer.
  bool in_answer() const noexcept { return parts_.in_answer(); }
  // See ReasoningStream::keep_answer().
  void keep_answer() noexcept { parts_.keep_answer(); }
  // Whether text may be inserted into the reasoning here. The place must not be inside a character,
  // nor inside what may become the closing marker.
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

// The text that these tokens produce as an answer without reasoning and without stop strings.
std::string text_of_answer(const Tokenizer& tokenizer, std::span<const Token> tokens);

}  // namespace confab::engine
