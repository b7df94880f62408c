// SPDX-License-Identifier: MIT
#include "engine/remote/event_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/error.h"

namespace confab::engine {

void EventStream::push(std::string_view bytes, std::vector<std::string>& messages) {
  while (!bytes.empty() && fault_.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (line_.size() + data_.size() > kMostBytes)
      fault_ = fmt::format("it sent a message of more than {} MiB", kMostBytes >> 20);
    if (end == std::string_view::npos) return;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (fault_.empty()) end_line(messages);
  }
}

void EventStream::end_line(std::vector<std::string>& messages) {
  std::string line = std::exchange(line_, {});
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (std::exchange(at_begin_, false) && line.starts_with(kMark)) line.erase(0, kMark.size());
  if (form_ == Form::lines) {
    data_ = std::move(line);
    return end_message(messages);
  }
  if (line.empty()) return end_message(messages);
  const std::size_t colon = std::min(line.find(':'), line.size());
  const std::string_view field = std::string_view(line).substr(0, colon);
  constexpr std::array<std::string_view, 4> kSaysNothing{"", "event", "id",
                                                         "retry"};  // "": a comment
  if (std::ranges::find(kSaysNothing, field) != kSaysNothing.end()) return;
  if (field != "data") {
    fault_ = fmt::format("it sent what is not an event: {}", printable(line));
    return;
  }
  std::string_view value = std::string_view(line).substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (!data_.empty()) data_ += '\n';
  data_ += value;
}

void EventStream::end_message(std::vector<std::string>& messages) {
  if (data_.find_first_not_of(" \t") == std::string::npos) return data_.clear();
  messages.push_back(std::exchange(data_, {}));
}

// By the standard an event that no empty line ends is none; servers that close too early are many.
void EventStream::finish(std::vector<std::string>& messages) {
  if (!fault_.empty()) return;
  if (!line_.empty()) end_line(messages);
  fault_.clear();  // of half a line
  end_message(messages);
}

}  // namespace confab::engine
