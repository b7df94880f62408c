// SPDX-License-Identifier: MIT
#include "engine/prompt/reasoning_stream.h"

#include <algorithm>

namespace confab::engine {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr auto kNone = std::string_view::npos;

// Bytes at the end of `text` that could be the start of `marker`.
std::size_t partial_marker(std::string_view text, std::string_view marker) {
  for (std::size_t n = std::min(text.size(), marker.size() - 1); n > 0; --n) {
    if (marker.starts_with(text.substr(text.size() - n))) return n;
  }
  return 0;
}

std::size_t without_trailing_space(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kSpace);
  return last == kNone ? 0 : last + 1;
}

}  // namespace

ReasoningStream::ReasoningStream(const ReasoningFormat* format, bool is_open)
    : format_(format),
      part_(format == nullptr ? Part::answer
            : is_open         ? Part::reasoning
                              : Part::before) {}

void ReasoningStream::push(std::string_view bytes, std::string& reasoning, std::string& answer) {
  if (part_ == Part::answer) {
    answer += bytes;
    return;
  }
  held_ += bytes;
  bool more = true;
  while (more && part_ != Part::answer) {
    more = part_ == Part::before ? read_marker(answer) : read_reasoning(reasoning);
  }
}

// Held: white space, then perhaps a marker.
bool ReasoningStream::read_marker(std::string& answer) {
  const std::size_t begin = held_.find_first_not_of(kSpace);
  if (begin == kNone) return false;
  const std::string_view text = std::string_view(held_).substr(begin);
  bool may_become_one = false;
  for (const PartMarker& marker : format_->markers) {
    if (text.starts_with(marker.text)) {
      held_.erase(0, begin + marker.text.size());
      if (marker.begins == PartMarker::Begins::reasoning) part_ = Part::reasoning;
      if (marker.begins == PartMarker::Begins::answer) {
        part_ = Part::answer;
        answer += held_;
        held_.clear();
      }
      return true;
    }
    may_become_one = may_become_one || marker.text.starts_with(text);
  }
  if (may_become_one) return false;
  part_ = Part::answer;
  answer += begun_ ? text : std::string_view(held_);
  held_.clear();
  return false;
}

// Held: the end of the reasoning so far, with the white space that could stand before its close.
bool ReasoningStream::read_reasoning(std::string& reasoning) {
  if (!begun_) held_.erase(0, std::min(held_.find_first_not_of(kSpace), held_.size()));
  const std::size_t close = held_.find(format_->close);
  const std::size_t end =
      close != kNone ? close : held_.size() - partial_marker(held_, format_->close);
  const std::size_t n = without_trailing_space(std::string_view(held_).substr(0, end));
  reasoning.append(held_, 0, n);
  begun_ = begun_ || n > 0;
  held_.erase(0, close != kNone ? close + format_->close.size() : n);
  if (close == kNone) return false;
  begun_ = true;  // white space after the close is dropped
  part_ = Part::before;
  return true;
}

bool ReasoningStream::may_be_closing() const noexcept {
  return in_reasoning() && held_.find_first_not_of(kSpace) != kNone;
}

void ReasoningStream::finish(std::string& reasoning, std::string& answer) {
  if (part_ == Part::reasoning) {
    reasoning += held_;
  } else {
    const std::size_t begin = begun_ ? held_.find_first_not_of(kSpace) : 0;
    answer.append(held_, std::min(begin, held_.size()));
  }
  held_.clear();
}

}  // namespace confab::engine
