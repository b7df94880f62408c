// SPDX-License-Identifier: MIT
#include "app/batch/batch_input.h"

#include <fmt/format.h>

#include <cerrno>
#include <map>
#include <utility>

#include "app/attach/text_encoding.h"
#include "app/error.h"
#include "app/paths.h"
#include "app/whole_file.h"
#include "ui/text.h"

namespace confab::app {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of UTF-8

// Each line is decoded for itself: what is wrong in one says nothing of the others.
std::string text_of(const std::string& path) {
  const FileLimits limits{.most = kMostOfData};
  auto bytes = whole_file(expand_home(path), limits);
  if (!bytes) throw UserError(fmt::format("{}: {}", ui::one_line(path), read_fault(errno, limits)));
  const bool is_wide = bytes->starts_with("\xFF\xFE") || bytes->starts_with("\xFE\xFF");
  auto first = decode_text(is_wide ? *bytes : bytes->substr(0, bytes->find('\n')));
  if (!first) throw UserError(fmt::format("{}: is not a text file", ui::one_line(path)));
  if (is_wide) return std::move(first->text);
  std::string text;
  for (std::string_view left = *bytes; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    auto decoded = decode_text(std::string(line));
    text += decoded ? decoded->text : "\xEF\xBF\xBD";  // U+FFFD, which is no request
    left.remove_prefix(line.size());
    if (left.empty()) break;
    text += '\n';
    left.remove_prefix(1);
  }
  return text;
}

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
    : text_(text_of(path)), defaults_(std::move(defaults)) {
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
