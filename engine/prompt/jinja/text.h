// SPDX-License-Identifier: MIT
// A string that knows which of its bytes came from the request and not from the template.
//
// Cutting and joining keep the marks byte for byte. An operation that rewrites the bytes (upper,
// tojson, ...) marks its whole result if any of its input was marked. So text that the template
// wrote is never marked, and text that a user typed never loses its mark.
//
// Independently, a text may be markup: the result of the filters `safe` and `escape` (Python's
// markupsafe.Markup). Other text is escaped before it is joined to markup.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace confab::engine::jinja {

// The source of bytes from the request that are not the content of a message.
inline constexpr int kElsewhere = -1;

// Bytes [begin, end) came from the content of message `source`, or from kElsewhere.
struct Mark {
  std::size_t begin;
  std::size_t end;
  int source;
  bool operator==(const Mark&) const = default;
};

class Text {
 public:
  Text() = default;
  // Text of the template, without marks.
  explicit Text(std::string bytes) : bytes_(std::move(bytes)) {}
  // Text that is marked as a whole if `source` has a value.
  Text(std::string bytes, std::optional<int> source);

  std::string_view view() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return bytes_.size(); }
  bool empty() const noexcept { return bytes_.empty(); }
  // Sorted and disjoint. No mark is empty, and neighbours of one source are merged.
  const std::vector<Mark>& marks() const noexcept { return marks_; }
  // The cost of copying the text, in bytes.
  std::size_t cost() const noexcept { return bytes_.size() + marks_.size() * sizeof(Mark); }
  // The mark of a text rewritten from this one: nullopt if there are no marks, the source if there
  // is only one, kElsewhere for several.
  std::optional<int> source() const noexcept;

  bool is_markup() const noexcept { return is_markup_; }
  Text as_markup(bool is_markup = true) && {
    is_markup_ = is_markup;
    return std::move(*this);
  }
  // A text of other bytes that is markup if this one is, and is marked as a whole with source().
  Text rewritten(std::string bytes) const;

  // Bytes [begin, end) with their marks. The result is markup if this text is.
  Text slice(std::size_t begin, std::size_t end) const;
  void append(std::string_view bytes) { bytes_.append(bytes); }
  void append(const Text& other) { append(other, 0, other.size()); }
  // Appends bytes [begin, end) of `other` with their marks.
  void append(const Text& other, std::size_t begin, std::size_t end);
  std::string take_bytes() && { return std::move(bytes_); }

 private:
  std::string bytes_;
  std::vector<Mark> marks_;
  bool is_markup_ = false;
};

// The text as markup, with & < > ' " as entities.
Text escape_html(const Text& text);
// The text itself if it is markup, otherwise the escaped text.
Text to_markup(const Text& text);

// The mark of a text made from parts marked `a` and `b`.
std::optional<int> merge_source(std::optional<int> a, std::optional<int> b) noexcept;

// The text repeated `n` times.
Text repeat(const Text& text, std::size_t n);

// The first position of `needle` at or after `from`, and its last position; npos if there is none.
// Both are linear in both lengths; the functions of std::string_view are not.
std::size_t find(std::string_view text, std::string_view needle, std::size_t from = 0);
std::size_t find_last(std::string_view text, std::string_view needle);

}  // namespace confab::engine::jinja
