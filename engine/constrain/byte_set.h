// SPDX-License-Identifier: MIT
// A set of bytes.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace confab::engine {

class ByteSet {
 public:
  constexpr ByteSet() = default;
  // The bytes first to last.
  static constexpr ByteSet range(std::uint8_t first, std::uint8_t last) {
    ByteSet set;
    for (unsigned b = first; b <= last; ++b) set.add(static_cast<std::uint8_t>(b));
    return set;
  }
  static constexpr ByteSet of(std::uint8_t byte) { return range(byte, byte); }

  constexpr void add(std::uint8_t b) { words_[b / 64U] |= std::uint64_t{1} << (b % 64U); }
  constexpr bool has(std::uint8_t b) const { return ((words_[b / 64U] >> (b % 64U)) & 1U) != 0; }
  constexpr bool is_empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  constexpr int count() const {
    int n = 0;
    for (const std::uint64_t word : words_) n += std::popcount(word);
    return n;
  }
  // The lowest byte of a set that is not empty.
  constexpr std::uint8_t first() const {
    unsigned i = 0;
    while (words_[i] == 0) ++i;
    return static_cast<std::uint8_t>(i * 64U + static_cast<unsigned>(std::countr_zero(words_[i])));
  }

  constexpr ByteSet operator|(const ByteSet& other) const {
    return joined(other, [](auto a, auto b) { return a | b; });
  }
  constexpr ByteSet operator&(const ByteSet& other) const {
    return joined(other, [](auto a, auto b) { return a & b; });
  }
  constexpr ByteSet operator~() const {
    return joined(*this, [](auto a, auto) { return ~a; });
  }
  constexpr auto operator<=>(const ByteSet&) const = default;
  const std::array<std::uint64_t, 4>& words() const { return words_; }

 private:
  template <class Op>
  constexpr ByteSet joined(const ByteSet& other, Op op) const {
    ByteSet set;
    for (std::size_t i = 0; i < 4; ++i) set.words_[i] = op(words_[i], other.words_[i]);
    return set;
  }

  std::array<std::uint64_t, 4> words_{};
};

}  // namespace confab::engine
