// SPDX-License-Identifier: MIT
// Tells what a model thinks from what it answers, while it writes.
#pragma once

#include <string>
#include <string_view>

#include "engine/prompt/reasoning_format.h"

namespace confab::engine {

// Reasoning begins before the first word of the answer or not at all: a marker inside the answer is
// text. The result does not depend on how the bytes are cut. White space around the markers is
// dropped; so is a marker itself.
class ReasoningStream {
 public:
  // Null: all is answer. `is_open`: the prompt has begun the reasoning already. The format must
  // outlive the object.
  ReasoningStream(const ReasoningFormat* format, bool is_open);

  // Appends what is certain to either string.
  void push(std::string_view bytes, std::string& reasoning, std::string& answer);
  // The end: what was held back was no marker.
  void finish(std::string& reasoning, std::string& answer);
  // The answer has begun: all that follows belongs to it.
  bool in_answer() const noexcept { return part_ == Part::answer; }
  bool in_reasoning() const noexcept { return part_ == Part::reasoning; }
  // What is held of the reasoning may be the beginning of its close.
  bool may_be_closing() const noexcept;

 private:
  enum class Part { before, reasoning, answer };
  // Each true when there may be more to do with what is held.
  bool read_marker(std::string& answer);
  bool read_reasoning(std::string& reasoning);

  const ReasoningFormat* format_;
  Part part_;
  bool begun_ = false;     // a byte of the reasoning that is no white space was given out
  std::string held_ = {};  // not yet certain
};

}  // namespace confab::engine
