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

// Whether `text`, after reasoning, leads to the answer and holds nothing of either.
bool leads_to_answer(const ReasoningFormat& format, std::string_view text);

// How long one answer may be reasoned about.
//
// Counts the tokens of the reasoning, also of a part of the answer that is gone on with, and says
// when it is to be closed: after the last token that the budget has, or up to kMaxGrace later, so
// that no character and no marker is cut. A model that then opens its reasoning again is closed
// again, but only kMaxClosings times: rather a thought too long than an answer of markers alone.
class ReasoningBudget {
 public:
  static constexpr int kMaxGrace = 16;
  static constexpr int kMaxClosings = 4;

  // n_tokens: -1: no limit; 0: no reasoning.
  explicit ReasoningBudget(int n_tokens) noexcept : n_tokens_(n_tokens) {}

  void count() noexcept { ++n_counted_; }
  void close() noexcept { ++n_closings_; }
  // Asked while the reasoning is open. at_boundary: see AnswerText.
  bool is_spent(bool at_boundary) const noexcept;

 private:
  int n_tokens_;
  int n_counted_ = 0;
  int n_closings_ = 0;
};

}  // namespace confab::engine
