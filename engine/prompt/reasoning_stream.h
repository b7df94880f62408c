// SPDX-License-Identifier: MIT
// Separates what a model thinks from what it answers, while it writes.
#pragma once

#include <string>
#include <string_view>

#include "engine/prompt/reasoning_format.h"

namespace confab::engine {

// Reasoning begins before the first word of the answer: an opening marker inside the answer is
// text. A closing marker that nothing has opened ends reasoning that the template did not announce:
// what came out as the answer before it was reasoning (took_back()). White space around the markers
// is dropped; so is a marker itself. The result does not depend on how the bytes are cut, and the
// work per byte does not depend on what came before.
class ReasoningStream {
 public:
  // Null: all is answer. `is_open`: the prompt has begun the reasoning already. The format must
  // outlive the object.
  ReasoningStream(const ReasoningFormat* format, bool is_open);

  // Appends what is certain to either string; if it took back the answer, what `answer` had is
  // moved to `reasoning`.
  void push(std::string_view bytes, std::string& reasoning, std::string& answer);
  // The end: what was held back was not a marker, unless it is the beginning of a message's header.
  void finish(std::string& reasoning, std::string& answer);
  // All that came out as the answer before the last push() was reasoning, which that push ended.
  bool took_back() const noexcept { return took_back_; }
  // Once the answer has begun, no marker is looked for: it has a shape that may contain any text.
  void keep_answer() noexcept { keeps_answer_ = true; }
  // The answer has begun: what follows belongs to it, until another message begins.
  bool in_answer() const noexcept { return part_ == Part::answer; }
  bool in_reasoning() const noexcept { return part_ == Part::reasoning; }
  // What is held of the reasoning may be the beginning of its close.
  bool may_be_closing() const noexcept { return in_reasoning() && !held_.empty(); }

 private:
  class Header;
  enum class Found { no, part, whole };
  static Found begins_message(std::string_view text);
  enum class Part { before, reasoning, answer };
  // Each returns true when there may be more to do with what is held.
  bool read_marker(std::string& answer);
  bool read_header(std::string& answer);
  bool read_reasoning(std::string& reasoning);
  bool read_answer(std::string& reasoning, std::string& answer);
  bool read_message_answer(std::string& answer);
  bool drop_opening();
  void begin_message(const Header& header);
  void say(std::string_view text, std::string& answer);
  void think(std::string_view text, std::string& reasoning);

  const ReasoningFormat* format_;
  Part part_;
  bool begun_ = false;        // a byte of the reasoning was given out, or the reasoning was closed
  bool thought_ = false;      // a byte of the reasoning was given out
  bool said_ = false;         // a byte of the answer was given out
  bool gap_ = false;          // an empty line stands before the rest of the answer
  bool skips_space_ = false;  // the answer's text has not begun behind a header without its end
  bool watches_ = false;      // for a closing marker that nothing has opened
  bool keeps_answer_ = false;
  bool took_back_ = false;
  char last_ = '\n';        // byte of the answer given out
  std::string space_ = {};  // white space, given out before the next text or not at all
  std::string held_ = {};   // not yet certain: may be part of a marker
};

}  // namespace confab::engine
