// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/text.h"

#include <string.h>  // memmem is POSIX, not ISO C

#include <algorithm>
#include <array>
#include <utility>

namespace confab::engine::jinja {

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

std::size_t find(std::string_view text, std::string_view needle, std::size_t from) noexcept {
  if (from > text.size()) return std::string_view::npos;
  if (needle.empty()) return from;
  const void* found = memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
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
