// SPDX-License-Identifier: MIT
#include "app/batch/batch_input.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "app/attach/reader.h"
#include "app/chat/question.h"
#include "app/error.h"

namespace confab::app {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of UTF-8

void refuse_twins(const std::string& path, const std::vector<BatchEntry>& entries) {
  std::map<std::string_view, int> lines;
  for (const BatchEntry& entry : entries) {
    if (entry.id.empty()) continue;
    const auto [first, is_new] = lines.emplace(entry.id, entry.line);
    if (!is_new)
      throw UserError(fmt::format("{}: lines {} and {} have the same id, {}", path, first->second,
                                  entry.line, entry.id));
  }
}

}  // namespace

BatchInput::BatchInput(const std::string& path, ChatOptions defaults)
    : text_(*read_one(path).content), defaults_(std::move(defaults)) {
  std::size_t begin = text_.starts_with(kMark) ? kMark.size() : 0;
  for (int line = 1; begin < text_.size(); ++line) {
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    const std::string_view text = std::string_view(text_).substr(begin, end - begin);
    if (text.find_first_not_of(" \t\r") != std::string_view::npos) {
      BatchRequest request = read_heading(text, line);
      entries_.push_back({line, begin, text.size(), std::move(request.id), request.openai});
    }
    begin = end + 1;
  }
  if (entries_.empty())
    throw UserError(fmt::format("{}: has no requests; give a line of JSON for each", path));
  refuse_twins(path, entries_);
}

BatchRequest BatchInput::request(const BatchEntry& entry) const {
  return read_request(std::string_view(text_).substr(entry.begin, entry.n_bytes), entry.line,
                      defaults_);
}

}  // namespace confab::app
