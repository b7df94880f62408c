// SPDX-License-Identifier: MIT
// SHA-256, which the hub names its files by. Source: FIPS 180-4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace confab::engine {

// With the processor's own instructions where it has them, or without; the sums are the same.
enum class Sha256With { best, portable };

class Sha256 {
 public:
  explicit Sha256(Sha256With with = Sha256With::best) noexcept;

  void add(std::span<const std::byte> bytes) noexcept;
  // Of all that was added, as 64 small hexadecimal digits; the last call.
  std::string finish();

 private:
  using AddBlock = void(std::array<std::uint32_t, 8>& state, const std::byte* block) noexcept;

  AddBlock* add_block_;

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> held_{};  // the beginning of a block
  std::uint64_t n_bytes_ = 0;
};

// Whether this is such a sum: 64 hexadecimal digits, small ones.
bool is_sha256(std::string_view text) noexcept;

}  // namespace confab::engine
