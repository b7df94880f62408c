// SPDX-License-Identifier: MIT
// Separates a model's reasoning from its answer while the model writes.
#pragma once

#include <string>
#include <string_view>

#include "engine/prompt/reasoning_format.h"

namespace confab::engine {

// Reasoning can begin only before the first word of the answer; an opening marker inside the answer
// is text. A closing marker without an opening one ends reasoning that the template did not
// announce: the text given out as the answer so far was reasoning (took_back()). Markers and the
// white space around them are dropped. The result does not depend on how the bytes are cut, and the
// work per byte does not depend on earlier bytes.
class ReasoningStream {
 public:
  // If `format` is null, everything is answer. `is_open` means that the prompt has already begun
  // the reasoning. The format must outlive the object.
  ReasoningStream(const ReasoningFormat* format, bool is_open);

  // Appends to each string what is certain. If the answer is taken back, the contents of `answer`
  // move to `reasoning`.
  void push(std::string_view bytes, std::string& reasoning, std::string& answer);
  // Call at the end. Bytes that were held back are text, unless they are the start of a message
  // header.
  void finish(std::string& reasoning, std::string& answer);
  // Whether the last push() ended reasoning that had been given out as the answer.
  bool took_back() const noexcept { return took_back_; }
  // From now on, no markers are looked for in the answer. It has a required shape, which may
  // contain any text.
  void keep_answer() noexcept { keeps_answer_ = true; }
  // Whether the following text belongs to the answer. Another message may still begin.
  bool in_answer() const noexcept { return part_ == Part::answer; }
  bool in_reasoning() const noexcept { return part_ == Part::reasoning; }
  // Whether reasoning is held back because it may be the start of the closing marker.
  bool may_be_closing() const noexcept { return in_reasoning() && !held_.empty(); }

 private:
  class Header;
  enum class Found { no, part, whole };
  static Found begins_message(std::string_view text);
  enum class Part { before, reasoning, answer };
  // Each returns true if there may be more to do with the held bytes.
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
  bool gap_ = false;          // an empty line goes before the rest of the answer
  bool skips_space_ = false;  // drops white space before the text, after a header without its end
  bool watches_ = false;      // looks for a closing marker without an opening one
  bool keeps_answer_ = false;
  bool took_back_ = false;
  char last_ = '\n';        // last byte of the answer given out
  std::string space_ = {};  // white space, given out before the next text or not at all
  std::string held_ = {};   // not yet certain: may be part of a marker
};

// Whether `text` closes open reasoning and contains no text of the reasoning or the answer.
bool leads_to_answer(const ReasoningFormat& format, std::string_view text);

// Limits the reasoning of one answer.
//
// Counts the reasoning tokens, including the tokens of an earlier part of a continued answer, and
// reports when to close the reasoning: after the last token of the budget, or up to kMaxGrace
// tokens later so that no character or marker is cut. If the model opens its reasoning again, it is
// closed again, but only kMaxClosings times; otherwise the answer could consist of markers alone.
class ReasoningBudget {
 public:
  static constexpr int kMaxGrace = 16;
  static constexpr int kMaxClosings = 4;

  // n_tokens: -1 means no limit, 0 means no reasoning.
  explicit ReasoningBudget(int n_tokens) noexcept : n_tokens_(n_tokens) {}

  void count() noexcept { ++n_counted_; }
  void close() noexcept { ++n_closings_; }
  // Call while the reasoning is open. at_boundary: see AnswerText::at_boundary().
  bool is_spent(bool at_boundary) const noexcept;

 private:
  int n_tokens_;
  int n_counted_ = 0;
  int n_closings_ = 0;
};

}  // namespace confab::engine
