// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/text.h"

#include <string.h>  // memmem is POSIX, not ISO C

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace confab::engine::jinja {
namespace {

// memmem() is fast, but not linear in every C library, so longer needles are searched for by
// search().
constexpr std::size_t kMaxMemmemNeedle = 256;

// The first position of the needle, or npos, by the algorithm of Knuth, Morris and Pratt (SIAM J.
// Comput. 6, 1977). Text and needle are functions from positions to bytes.
template <class TextAt, class NeedleAt>
std::size_t search(std::size_t n_text, TextAt text, std::size_t n_needle, NeedleAt needle) {
  if (n_needle > n_text) return std::string_view::npos;
  // For each prefix of the needle, by its length: the length of the longest shorter prefix that it
  // ends with.
  std::vector<std::size_t> shorter(n_needle + 1);
  for (std::size_t i = 1, n = 0; i < n_needle; ++i) {
    while (n > 0 && needle(i) != needle(n)) n = shorter[n];
    if (needle(i) == needle(n)) ++n;
    shorter[i + 1] = n;
  }
  std::size_t n_equal = 0;
  for (std::size_t i = 0; i < n_text; ++i) {
    while (n_equal > 0 && text(i) != needle(n_equal)) n_equal = shorter[n_equal];
    if (text(i) == needle(n_equal)) ++n_equal;
    if (n_equal == n_needle) return i + 1 - n_needle;
  }
  return std::string_view::npos;
}

}  // namespace

Text::Text(std::string bytes, std::optional<int> source) : bytes_(std::move(bytes)) {
  if (source && !bytes_.empty()) marks_.push_back({0, bytes_.size(), *source});
}

std::optional<int> Text::source() const noexcept {
  std::optional<int> source;
  for (const Mark& mark : marks_) source = merge_source(source, mark.source);
  return source;
}

Text Text::rewritten(std::string bytes) const {
  return Text(std::move(bytes), source()).as_markup(is_markup_);
}

Text Text::slice(std::size_t begin, std::size_t end) const {
  Text part;
  part.is_markup_ = is_markup_;
  part.append(*this, begin, end);
  return part;
}

void Text::append(const Text& other, std::size_t begin, std::size_t end) {
  const std::size_t base = bytes_.size();
  bytes_.append(other.bytes_, begin, end - begin);
  auto mark = std::partition_point(other.marks_.begin(), other.marks_.end(),
                                   [begin](const Mark& m) { return m.end <= begin; });
  for (; mark != other.marks_.end() && mark->begin < end; ++mark) {
    const std::size_t from = base + std::max(mark->begin, begin) - begin;
    const std::size_t to = base + std::min(mark->end, end) - begin;
    if (!marks_.empty() && marks_.back().end == from && marks_.back().source == mark->source) {
      marks_.back().end = to;
    } else {
      marks_.push_back({from, to, mark->source});
    }
  }
}

std::optional<int> merge_source(std::optional<int> a, std::optional<int> b) noexcept {
  if (!a) return b;
  if (!b || *a == *b) return a;
  return kElsewhere;
}

Text repeat(const Text& text, std::size_t n) {
  Text repeated;
  for (std::size_t bit = std::bit_floor(n); bit > 0; bit /= 2) {
    repeated.append(Text(repeated));
    if ((n & bit) != 0) repeated.append(text);
  }
  return repeated;
}

std::size_t find(std::string_view text, std::string_view needle, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (needle.empty()) return from;
  if (needle.size() > kMaxMemmemNeedle) {
    const std::size_t at = search(
        text.size() - from, [&](std::size_t i) { return text[from + i]; }, needle.size(),
        [&](std::size_t i) { return needle[i]; });
    return at == std::string_view::npos ? at : from + at;
  }
  const void* found = memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::size_t find_last(std::string_view text, std::string_view needle) {
  if (needle.empty()) return text.size();
  const std::size_t at = search(
      text.size(), [&](std::size_t i) { return text[text.size() - 1 - i]; }, needle.size(),
      [&](std::size_t i) { return needle[needle.size() - 1 - i]; });
  return at == std::string_view::npos ? at : text.size() - at - needle.size();
}

Text escape_html(const Text& text) {
  constexpr std::string_view kSpecial = "&<>'\"";
  constexpr std::array<std::string_view, 5> kEntities = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
  std::string out;
  for (const char c : text.view()) {
    const std::size_t i = kSpecial.find(c);
    if (i == std::string_view::npos) {
      out += c;
    } else {
      out += kEntities[i];
    }
  }
  return Text(std::move(out), text.source()).as_markup();
}

Text to_markup(const Text& text) {
  return text.is_markup() ? text : escape_html(text);
}

}  // namespace confab::engine::jinja
