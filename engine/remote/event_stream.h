// SPDX-License-Identifier: MIT
// The messages of a stream, out of bytes that are cut anywhere: server-sent events (WHATWG HTML,
// section 9.2.6) and objects of JSON, whether they come one a line (Ollama's), over several lines
// or as one that is the whole answer. Which of these a stream is shows in what it is made of;
// labels are often wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

// Whether it is a word or two that are no message, nor what noise has left of one: "ping".
bool is_harmless(std::string_view text);

class EventStream {
 public:
  static constexpr std::size_t kMostBytes = 16U << 20;  // of a message

  // Appends the messages that are complete, none empty.
  void push(std::string_view bytes, std::vector<std::string>& messages);
  // What is wrong with the stream, after which nothing more is read of it; empty: nothing.
  const std::string& fault() const noexcept { return fault_; }
  // The first line of none of the standard's fields, as it may be shown; empty: there was none.
  const std::string& odd() const noexcept { return odd_; }
  // The end: what was held back, if it is a message. Half an object is not.
  void finish(std::vector<std::string>& messages);

 private:
  std::size_t take_object(std::string_view bytes, std::vector<std::string>& messages);
  std::size_t take_line(std::string_view bytes, std::vector<std::string>& messages);
  void end_line(std::vector<std::string>& messages);
  void end_message(std::vector<std::string>& messages);

  std::string line_ = {};
  std::string object_ = {};  // that is open, from its first brace
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool after_backslash_ = false;
  std::string data_ = {};
  std::string fault_ = {};
  std::string odd_ = {};
  bool after_cr_ = false;  // a line feed is part of the end of the line before
  bool at_begin_ = true;   // where a byte order mark may stand
};

}  // namespace confab::engine
