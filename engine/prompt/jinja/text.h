// SPDX-License-Identifier: MIT
// A string that knows which of its bytes came from the request and not from the template.
//
// Cutting and joining keep the marks byte for byte; an operation that writes the bytes anew
// (upper, tojson, ...) marks its whole result when any of its input was marked. So text that the
// template itself wrote is never marked, and text that a user typed never loses its mark.
//
// Separately, a text may be markup: what the filters `safe` and `escape` give (Python's
// markupsafe.Markup). Joining other text to it escapes that first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace confab::engine::jinja {

// From the request, but not from the content of a message.
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
  // Text marked as a whole, unless `source` is empty.
  Text(std::string bytes, std::optional<int> source);

  std::string_view view() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return bytes_.size(); }
  bool empty() const noexcept { return bytes_.empty(); }
  // Sorted, disjoint, none empty; neighbours of one source are merged.
  const std::vector<Mark>& marks() const noexcept { return marks_; }
  // What it takes to copy, in bytes.
  std::size_t cost() const noexcept { return bytes_.size() + marks_.size() * sizeof(Mark); }
  // The mark of a text made anew from this one: none, the one source, or kElsewhere for several.
  std::optional<int> source() const noexcept;

  bool is_markup() const noexcept { return is_markup_; }
  Text as_markup(bool is_markup = true) && {
    is_markup_ = is_markup;
    return std::move(*this);
  }
  // Other bytes in the place of these: markup as this is, with a mark when this has one.
  Text rewritten(std::string bytes) const;

  // Bytes [begin, end) with their marks; markup as this is.
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

// Markup with & < > ' " as entities.
Text escape_html(const Text& text);
// The text when it is markup, else escaped.
Text to_markup(const Text& text);

// The mark of a text made from parts marked `a` and `b`.
std::optional<int> merge_source(std::optional<int> a, std::optional<int> b) noexcept;

// `n` times the text.
Text repeat(const Text& text, std::size_t n);

// The first place of `needle` at or after `from`, and the last place of all; or npos. Linear in
// both lengths, which std::string_view's are not.
std::size_t find(std::string_view text, std::string_view needle, std::size_t from = 0);
std::size_t find_last(std::string_view text, std::string_view needle);

}  // namespace confab::engine::jinja
