// SPDX-License-Identifier: MIT
#include "engine/prompt/reasoning_stream.h"

#include <algorithm>
#include <utility>

namespace confab::engine {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr auto kNone = std::string_view::npos;

// The number of bytes at the end of `text` that could be the start of `marker`.
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

std::string_view first_word(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_first_of(kSpace));
}

// A message of the harmony format begins with
//
//   [<|start|>ROLE[ to=RECIPIENT]][<|channel|>NAME[ to=RECIPIENT]][ <|constrain|>TYPE]<|message|>
//
// and ends with <|end|>. (<|return|> and <|call|> end the generation.)
constexpr std::string_view kStart = "<|start|>";
constexpr std::string_view kChannel = "<|channel|>";
constexpr std::string_view kConstrain = "<|constrain|>";
constexpr std::string_view kMessage = "<|message|>";
constexpr std::string_view kEnd = "<|end|>";
constexpr std::string_view kRecipient = "to=";
// Tool names are the longest words of a header.
constexpr std::size_t kMaxHeader = 512;

}  // namespace

// The message header at the start of a text.
class ReasoningStream::Header {
 public:
  explicit Header(std::string_view text) : text_(text) { read(); }

  Found found() const { return found_; }
  std::size_t size() const { return at_; }
  // Whether it has at least one whole marker.
  bool has_marker() const { return has_marker_; }
  bool is_reasoning() const {
    return first_word(channel_).starts_with("analysis") ||
           (!role_.empty() && !first_word(role_).starts_with("assistant"));
  }
  // Where the message's text begins if <|message|> is missing: after the name of the channel or the
  // role.
  std::size_t size_without_message() const {
    const std::string_view last = channel_.data() != nullptr ? channel_ : role_;
    const std::string_view name = first_word(last);
    if (last.data() == nullptr) return at_;
    return static_cast<std::size_t>((name.empty() ? last.data() : name.data() + name.size()) -
                                    text_.data());
  }

 private:
  void read() {
    if (eat(kRecipient)) words();
    for (bool more = true; more;) {
      if (eat(kStart))
        role_ = words();
      else if (eat(kChannel))
        channel_ = words();
      else if (eat(kConstrain))
        words();
      else
        more = false;
    }
    if (eat(kMessage))
      found_ = Found::whole;
    else if (is_cut_ && text_.size() <= kMaxHeader)
      found_ = Found::part;
  }

  bool eat(std::string_view marker) {
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(marker)) {
      is_cut_ = is_cut_ || marker.starts_with(rest);
      return false;
    }
    at_ += marker.size();
    has_marker_ = has_marker_ || marker != kRecipient;
    return true;
  }

  // Reads names, recipients and types, with the white space around them.
  std::string_view words() {
    const std::size_t begin = at_;
    const auto is_of_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             std::string_view("_.-:=/ ").find(c) != kNone;
    };
    while (at_ < text_.size() && is_of_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Found found_ = Found::no;
  bool is_cut_ = false;  // more text may complete a marker here
  bool has_marker_ = false;
  std::string_view role_ = {}, channel_ = {};
};

// Whether another message begins here, inside the text of a message. It normally begins at <|end|>,
// which may be missing.
ReasoningStream::Found ReasoningStream::begins_message(std::string_view text) {
  if (!text.starts_with(kEnd)) {
    if (kEnd.starts_with(text)) return Found::part;
    if (text.starts_with(kConstrain)) return Found::no;
    return Header(text).found();
  }
  text.remove_prefix(kEnd.size());
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  for (const std::string_view marker : {kStart, kChannel}) {
    if (text.starts_with(marker)) return Found::whole;
    if (marker.starts_with(text)) return Found::part;
  }
  return Found::no;
}

ReasoningStream::ReasoningStream(const ReasoningFormat* format, bool is_open)
    : format_(format),
      part_(format == nullptr ? Part::answer
            : is_open         ? Part::reasoning
                              : Part::before) {}

void ReasoningStream::push(std::string_view bytes, std::string& reasoning, std::string& answer) {
  took_back_ = false;
  held_ += bytes;
  for (bool more = true; more;) {
    switch (part_) {
      case Part::before:
        more = format_->has_messages ? read_header(answer) : read_marker(answer);
        break;
      case Part::reasoning:
        more = read_reasoning(reasoning);
        break;
      case Part::answer:
        more = read_answer(reasoning, answer);
        break;
    }
  }
}

void ReasoningStream::say(std::string_view text, std::string& answer) {
  if (skips_space_) text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  if (text.empty()) return;
  skips_space_ = false;
  if (std::exchange(gap_, false) && said_) answer += "\n\n";
  answer += text;
  said_ = true;
  last_ = text.back();
}

// White space is held back until text follows it. At the end it is dropped.
void ReasoningStream::think(std::string_view text, std::string& reasoning) {
  const std::size_t n = without_trailing_space(text);
  if (n > 0) {
    reasoning += std::exchange(space_, {});
    reasoning += text.substr(0, n);
    begun_ = thought_ = true;
  }
  if (begun_) space_ += text.substr(n);
}

// held_ is white space, then perhaps a marker.
bool ReasoningStream::read_marker(std::string& answer) {
  const std::size_t begin = std::min(held_.find_first_not_of(kSpace), held_.size());
  space_.append(held_, 0, begin);
  held_.erase(0, begin);
  if (held_.empty()) return false;
  const std::string_view text = held_;
  bool may_become_one = format_->close.starts_with(text);
  for (const PartMarker& marker : format_->markers) {
    may_become_one = may_become_one || marker.text.starts_with(text);
    if (!text.starts_with(marker.text)) continue;
    held_.erase(0, marker.text.size());
    space_.clear();
    if (marker.begins == PartMarker::Begins::reasoning) part_ = Part::reasoning;
    if (marker.begins == PartMarker::Begins::answer) part_ = Part::answer;
    return true;
  }
  if (text.starts_with(format_->close)) {  // a second one, or one without an opening marker
    held_.erase(0, format_->close.size());
    space_.clear();
    begun_ = true;
    return true;
  }
  if (may_become_one) return false;
  part_ = Part::answer;
  watches_ = format_->markers.size() == 1;
  if (!begun_) say(space_, answer);
  space_.clear();
  return true;
}

// held_ is white space, then perhaps the header of a message.
bool ReasoningStream::read_header(std::string& answer) {
  const std::size_t begin = std::min(held_.find_first_not_of(kSpace), held_.size());
  space_.append(held_, 0, begin);
  held_.erase(0, begin);
  if (held_.empty()) return false;
  if (held_.starts_with(kEnd)) {
    held_.erase(0, kEnd.size());
    return true;
  }
  const Header header(held_);
  if (header.found() == Found::part || kEnd.starts_with(held_)) return false;
  if (header.has_marker()) {
    begin_message(header);
    return true;
  }
  part_ = Part::answer;
  if (!begun_ && !said_) say(space_, answer);
  space_.clear();
  gap_ = said_;
  return true;
}

void ReasoningStream::begin_message(const Header& header) {
  const bool is_reasoning = header.is_reasoning();
  if (header.found() == Found::whole) {
    held_.erase(0, header.size());
  } else {
    held_.erase(0, header.size_without_message());
    skips_space_ = true;
  }
  space_.clear();
  part_ = is_reasoning ? Part::reasoning : Part::answer;
  if (is_reasoning && thought_) space_ = "\n\n";
  if (!is_reasoning) gap_ = said_;
}

// Drops opening markers that repeat the one in the prompt. Returns false while it is not certain
// whether one follows.
bool ReasoningStream::drop_opening() {
  const std::size_t begin = std::min(held_.find_first_not_of(kSpace), held_.size());
  held_.erase(0, begin);
  if (format_->has_messages) return true;
  for (const PartMarker& marker : format_->markers) {
    if (marker.begins != PartMarker::Begins::reasoning) continue;
    if (held_.starts_with(marker.text)) {
      held_.erase(0, marker.text.size());
      return drop_opening();
    }
    if (!held_.empty() && marker.text.starts_with(held_)) return false;
  }
  return true;
}

bool ReasoningStream::read_reasoning(std::string& reasoning) {
  if (!begun_ && !drop_opening()) return false;
  const std::string_view text = held_;
  std::size_t at = text.find(format_->close), size = format_->close.size();
  std::size_t certain = at != kNone ? at : text.size() - partial_marker(text, format_->close);
  // A message can begin although the previous one has no end marker.
  for (std::size_t from = 0; format_->has_messages; ++from) {
    from = text.find('<', from);
    if (from >= certain) break;
    const Found found = begins_message(text.substr(from));
    if (found == Found::no) continue;
    certain = from;
    at = found == Found::whole ? from : kNone;
    size = 0;
    break;
  }
  think(text.substr(0, certain), reasoning);
  held_.erase(0, at != kNone ? at + size : certain);
  if (at == kNone) return false;
  begun_ = true;  // white space after the close is dropped
  space_.clear();
  part_ = Part::before;
  return true;
}

bool ReasoningStream::read_answer(std::string& reasoning, std::string& answer) {
  if (format_ != nullptr && format_->has_messages && !keeps_answer_)
    return read_message_answer(answer);
  if (!watches_ || keeps_answer_) {
    say(held_, answer);
    held_.clear();
    return false;
  }
  const std::string_view text = held_, open = format_->markers.front().text;
  const std::size_t opened = text.find(open), closed = text.find(format_->close);
  if (opened < closed) {  // a pair of markers in the answer is text
    watches_ = false;
    return true;
  }
  if (closed == kNone) {
    const std::size_t n =
        text.size() - std::max(partial_marker(text, open), partial_marker(text, format_->close));
    say(text.substr(0, n), answer);
    held_.erase(0, n);
    return false;
  }
  if ((closed > 0 ? text[closed - 1] : last_) == '`') {  // it is quoted
    const std::size_t end = closed + format_->close.size();
    say(text.substr(0, end), answer);
    held_.erase(0, end);
    return true;
  }
  reasoning += std::exchange(answer, {});
  reasoning += text.substr(0, closed);
  reasoning.resize(without_trailing_space(reasoning));
  held_.erase(0, closed + format_->close.size());
  took_back_ = begun_ = thought_ = true;
  said_ = watches_ = false;
  part_ = Part::before;
  return true;
}

bool ReasoningStream::read_message_answer(std::string& answer) {
  std::size_t n = 0;
  for (; n < held_.size(); ++n) {
    n = std::min(held_.find('<', n), held_.size());
    if (n == held_.size()) break;
    const Found found = begins_message(std::string_view(held_).substr(n));
    if (found == Found::no) continue;
    say(std::string_view(held_).substr(0, n), answer);
    held_.erase(0, n);
    if (found == Found::part) return false;
    part_ = Part::before;
    space_.clear();
    return true;
  }
  say(held_, answer);
  held_.clear();
  return false;
}

void ReasoningStream::finish(std::string& reasoning, std::string& answer) {
  took_back_ = false;
  const bool has_messages = format_ != nullptr && format_->has_messages && !keeps_answer_;
  if (has_messages && !held_.empty()) {
    // The answer may end inside a header. Then only the text after the header is kept.
    const Header header(held_);
    if (part_ == Part::before && header.has_marker()) {
      begin_message(header);
    } else if (held_.starts_with(kEnd) || held_.starts_with(kStart)) {
      held_.clear();
    }
  }
  if (part_ == Part::reasoning) {
    reasoning += space_ + held_;
  } else {
    if (part_ == Part::before && !begun_) say(space_, answer);
    say(held_, answer);
  }
  space_.clear();
  held_.clear();
}

bool leads_to_answer(const ReasoningFormat& format, std::string_view text) {
  ReasoningStream stream(&format, true);
  std::string reasoning, answer;
  stream.push(text, reasoning, answer);
  return !stream.in_reasoning() && reasoning.empty() && answer.empty();
}

bool ReasoningBudget::is_spent(bool at_boundary) const noexcept {
  if (n_tokens_ < 0 || n_closings_ >= kMaxClosings || n_counted_ < n_tokens_) return false;
  return at_boundary || n_counted_ - n_tokens_ >= kMaxGrace;
}

}  // namespace confab::engine
