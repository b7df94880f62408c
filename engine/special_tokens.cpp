// SPDX-License-Identifier: MIT
#include "engine/special_tokens.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace confab::engine {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// isspace() of the C locale, whatever the locale is.
bool is_ascii_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

SpecialTokens::SpecialTokens(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::erase_if(entries_,
                [](const Entry& e) { return e.text.empty() || e.text.size() > kMaxText; });
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.text < b.text; });
  const auto same = [](const Entry& a, const Entry& b) { return a.text == b.text; };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), same), entries_.end());
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    Range& range = by_first_byte_[byte_at(entries_[i].text, 0)];
    if (range.end == 0) range.begin = i;
    range.end = i + 1;
  }
}

const SpecialTokens::Entry* SpecialTokens::longest_at(std::string_view text, std::size_t pos,
                                                      std::size_t control_end) const noexcept {
  const Range first = by_first_byte_[byte_at(text, pos)];
  const Entry* begin = entries_.data() + first.begin;  // those that agree in `depth` bytes
  const Entry* end = entries_.data() + first.end;
  const Entry* best = nullptr;
  for (std::size_t depth = 1; begin != end; ++depth) {
    if (begin->text.size() == depth) {  // sorts before those that go on
      if (!begin->control || pos + depth <= control_end) best = begin;
      ++begin;
    }
    if (pos + depth == text.size()) break;
    const unsigned char next = byte_at(text, pos + depth);
    begin = std::partition_point(begin, end,
                                 [&](const Entry& e) { return byte_at(e.text, depth) < next; });
    end = std::partition_point(begin, end,
                               [&](const Entry& e) { return byte_at(e.text, depth) == next; });
  }
  return best;
}

std::vector<SpecialTokens::Fragment> SpecialTokens::split(std::string_view text,
                                                          std::span<const ByteSpan> literal) const {
  std::vector<Fragment> out;
  std::size_t raw_begin = 0;
  const auto flush_until = [&](std::size_t pos) {
    if (pos > raw_begin) out.push_back({text.substr(raw_begin, pos - raw_begin), -1});
  };
  auto span = literal.begin();
  for (std::size_t pos = 0; pos < text.size();) {
    if (by_first_byte_[byte_at(text, pos)].end == 0) {
      ++pos;
      continue;
    }
    while (span != literal.end() && span->end <= pos) ++span;
    const std::size_t control_end =
        span == literal.end() ? std::numeric_limits<std::size_t>::max() : span->begin;
    const Entry* entry = longest_at(text, pos, control_end);
    if (entry == nullptr) {
      ++pos;
      continue;
    }
    flush_until(pos);
    out.push_back({text.substr(pos, entry->text.size()), entry->id});
    pos += entry->text.size();
    while (entry->rstrip && pos < text.size() && is_ascii_space(text[pos])) ++pos;
    raw_begin = pos;
  }
  flush_until(text.size());
  return out;
}

}  // namespace confab::engine
