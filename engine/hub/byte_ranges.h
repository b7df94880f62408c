// SPDX-License-Identifier: MIT
// Which bytes of a file are there: ranges in order that neither touch nor overlap.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace confab::engine {

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // not included
  std::uint64_t bytes() const noexcept { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

class ByteRanges {
 public:
  void add(ByteRange range);  // joined with those that it touches
  std::uint64_t total() const noexcept;
  std::uint64_t end() const noexcept;  // of the last one; 0: there is none
  std::vector<ByteRange> list() const;
  // What [0, bytes) has besides.
  std::vector<ByteRange> missing(std::uint64_t bytes) const;
  // Those, or parts of them, that `other` has not.
  std::vector<ByteRange> without(const ByteRanges& other) const;

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by their begin
};

}  // namespace confab::engine
