// SPDX-License-Identifier: MIT
#include "app/line/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "app/figures.h"

namespace confab::app {
namespace {

constexpr std::size_t kMaxCharacterBytes = 4;

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// The longest beginning of at most so many bytes that ends where a line does, else a character.
std::size_t beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  const std::size_t line = most == 0 ? text.npos : text.rfind('\n', most - 1);
  if (line != text.npos) return line + 1;
  while (most > 0 && !begins_character(text[most])) --most;
  return most;
}

// The same of its end: where that begins.
std::size_t ending(std::string_view text, std::size_t most) {
  if (text.size() <= most) return 0;
  std::size_t from = text.size() - most;
  const std::size_t line = text.find('\n', from == 0 ? 0 : from - 1);
  if (line != text.npos && line + 1 < text.size()) return line + 1;
  while (from < text.size() && !begins_character(text[from])) ++from;
  return from;
}

std::size_t n_lines(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

WithoutMiddle without_middle(std::string_view text, std::size_t most) {
  if (text.size() <= most) return {.text = std::string(text)};
  const std::size_t begin = beginning(text, most / 2);
  const std::size_t end = std::max(begin, ending(text, most - most / 2));
  const std::string_view middle = text.substr(begin, end - begin);
  WithoutMiddle cut{.n_bytes_left_out = middle.size()};
  const bool whole_lines =
      (begin == 0 || text[begin - 1] == '\n') && (end == text.size() || text[end - 1] == '\n');
  if (whole_lines) cut.n_lines_left_out = n_lines(middle) + (middle.ends_with('\n') ? 0 : 1);
  const std::string what = whole_lines
                               ? counted(static_cast<std::int64_t>(cut.n_lines_left_out), "line")
                               : counted(static_cast<std::int64_t>(cut.n_bytes_left_out), "byte");
  cut.text = fmt::format("{}{}[... {} left out here ...]\n{}", text.substr(0, begin),
                         begin == 0 || text[begin - 1] == '\n' ? "" : "\n", what, text.substr(end));
  return cut;
}

Pieces::Pieces(std::vector<sessions::Attachment> files) : files_(std::move(files)) {
  std::erase_if(files_, [](const sessions::Attachment& file) {
    return !file.content || file.content->empty();
  });
  for (const sessions::Attachment& file : files_) n_left_ += file.content->size();
}

// A file is begun only where at least one of its lines fits.
std::vector<Pieces::Part> Pieces::parts(std::size_t most) const {
  std::vector<Part> found;
  std::size_t at = at_;
  for (std::size_t i = file_; i < files_.size() && most > 0; ++i, at = 0) {
    const std::string_view rest = std::string_view(*files_[i].content).substr(at);
    std::size_t n = beginning(rest, most);
    const bool ends_line = n == rest.size() || (n > 0 && rest[n - 1] == '\n');
    if (!ends_line && !found.empty()) break;
    if (n == 0) n = beginning(rest, kMaxCharacterBytes);
    found.push_back({i, at, n});
    if (n < rest.size()) break;
    most -= std::min(most, n);
  }
  return found;
}

std::string Pieces::name_of(const Part& part) const {
  const sessions::Attachment& file = files_[part.file];
  const std::string_view text = *file.content;
  if (file.name == "-" || part.n == text.size()) return file.name;
  const std::size_t first = part.begin == 0 ? 1 : line_;
  const std::string_view inside = text.substr(part.begin, part.n);
  const std::size_t last = first + n_lines(inside) - (inside.ends_with('\n') ? 1 : 0);
  const bool is_whole = (part.begin == 0 || text[part.begin - 1] == '\n') &&
                        (inside.ends_with('\n') || part.begin + part.n == text.size());
  if (first == last)
    return fmt::format("{} ({}line {})", file.name, is_whole ? "" : "part of ", first);
  return fmt::format("{} (lines {} to {})", file.name, first, last);
}

std::vector<sessions::Attachment> Pieces::next(std::size_t most) const {
  std::vector<sessions::Attachment> piece;
  for (const Part& part : parts(most))
    piece.push_back(sessions::make_attachment(
        name_of(part), files_[part.file].content->substr(part.begin, part.n)));
  return piece;
}

void Pieces::skip(std::size_t most) {
  for (const Part& part : parts(most)) {
    n_left_ -= part.n;
    line_ = (part.begin == 0 ? 1 : line_) +
            n_lines(std::string_view(*files_[part.file].content).substr(part.begin, part.n));
    file_ = part.file;
    at_ = part.begin + part.n;
  }
  if (file_ < files_.size() && at_ == files_[file_].content->size()) {
    ++file_;
    at_ = 0;
  }
}

}  // namespace confab::app
