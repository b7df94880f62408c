// SPDX-License-Identifier: MIT
#include "engine/remote/event_stream.h"

#include <utility>

namespace confab::engine {

bool EventStream::push(std::string_view bytes, std::vector<std::string>& messages) {
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (line_.size() + data_.size() > kMostBytes) return false;
    if (end == std::string_view::npos) return true;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(messages);
  }
  return true;
}

// Comments, and fields other than data, say nothing that is wanted here.
void EventStream::end_line(std::vector<std::string>& messages) {
  std::string line = std::exchange(line_, {});
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (std::exchange(at_begin_, false) && line.starts_with(kMark)) line.erase(0, kMark.size());
  if (form_ == Form::lines) {
    data_ = std::move(line);
    return end_message(messages);
  }
  if (line.empty()) return end_message(messages);
  constexpr std::string_view kField = "data:";
  if (!line.starts_with(kField)) return;
  std::string_view value = std::string_view(line).substr(kField.size());
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
  if (!line_.empty()) end_line(messages);
  end_message(messages);
}

}  // namespace confab::engine
