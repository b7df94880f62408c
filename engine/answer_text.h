// SPDX-License-Identifier: MIT
// The text of an answer, as its tokens come.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/stop_strings.h"
#include "engine/tokenizer.h"
#include "engine/utf8_stream.h"

namespace confab::engine {

class AnswerText {
 public:
  // The tokenizer must outlive the object.
  AnswerText(const Tokenizer& tokenizer, std::vector<std::string> stop);

  // Appends to `text` the whole characters that are now certain. True when a stop string is
  // complete: it and what follows are not part of the text.
  bool add(Token token, std::string& text);
  // The end: appends what was held back, also before a stop string.
  void finish(std::string& text);

 private:
  const Tokenizer& tokenizer_;
  StopStrings stop_;
  Utf8Stream utf8_ = {};
  std::string bytes_ = {};
};

// The text that these tokens gave when they were an answer without stop strings.
std::string text_of_answer(const Tokenizer& tokenizer, std::span<const Token> tokens);

}  // namespace confab::engine
