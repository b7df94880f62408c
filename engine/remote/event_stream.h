// SPDX-License-Identifier: MIT
// The messages of a stream, out of bytes that are cut anywhere: server-sent events (WHATWG HTML,
// section 9.2.6) and JSON by lines (Ollama's).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

class EventStream {
 public:
  enum class Form { events, lines };
  static constexpr std::size_t kMostBytes = 16U << 20;  // of a message

  explicit EventStream(Form form) : form_(form) {}

  // Appends the messages that are complete, none empty.
  void push(std::string_view bytes, std::vector<std::string>& messages);
  // What is wrong with the stream, after which nothing more is read of it; empty: nothing. A line
  // of none of the standard's fields is a fault: of what it was meant to be, nobody knows.
  const std::string& fault() const noexcept { return fault_; }
  // The end: what was held back, if it is a message.
  void finish(std::vector<std::string>& messages);

 private:
  void end_line(std::vector<std::string>& messages);
  void end_message(std::vector<std::string>& messages);

  Form form_;
  std::string line_ = {};
  std::string data_ = {};
  std::string fault_ = {};
  bool after_cr_ = false;  // a line feed is part of the end of the line before
  bool at_begin_ = true;   // where a byte order mark may stand
};

}  // namespace confab::engine
