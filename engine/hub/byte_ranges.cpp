// SPDX-License-Identifier: MIT
#include "engine/hub/byte_ranges.h"

#include <algorithm>

namespace confab::engine {

void ByteRanges::add(ByteRange range) {
  if (range.end <= range.begin) return;
  auto next = ends_.upper_bound(range.begin);
  if (next != ends_.begin() && std::prev(next)->second >= range.begin) --next;
  while (next != ends_.end() && next->first <= range.end) {
    range.begin = std::min(range.begin, next->first);
    range.end = std::max(range.end, next->second);
    next = ends_.erase(next);
  }
  ends_.emplace(range.begin, range.end);
}

std::uint64_t ByteRanges::total() const noexcept {
  std::uint64_t bytes = 0;
  for (const auto& [begin, end] : ends_) bytes += end - begin;
  return bytes;
}

std::uint64_t ByteRanges::end() const noexcept {
  return ends_.empty() ? 0 : ends_.rbegin()->second;
}

std::vector<ByteRange> ByteRanges::list() const {
  std::vector<ByteRange> ranges;
  for (const auto& [begin, end] : ends_) ranges.push_back({begin, end});
  return ranges;
}

std::vector<ByteRange> ByteRanges::missing(std::uint64_t bytes) const {
  ByteRanges whole;
  whole.add({0, bytes});
  return whole.without(*this);
}

std::vector<ByteRange> ByteRanges::without(const ByteRanges& other) const {
  std::vector<ByteRange> left;
  for (const auto& [from, end] : ends_) {
    std::uint64_t begin = from;
    auto cut = other.ends_.upper_bound(begin);
    if (cut != other.ends_.begin()) --cut;
    for (; cut != other.ends_.end() && cut->first < end && begin < end; ++cut) {
      if (cut->second <= begin) continue;
      if (cut->first > begin) left.push_back({begin, cut->first});
      begin = cut->second;
    }
    if (begin < end) left.push_back({begin, end});
  }
  return left;
}

}  // namespace confab::engine
