// SPDX-License-Identifier: MIT
// SHA-256, by which the hub names its files. Source: FIPS 180-4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace confab::engine {

// Whether to use the processor's SHA instructions if it has them. The sums are the same.
enum class Sha256With { best, portable };

class Sha256 {
 public:
  explicit Sha256(Sha256With with = Sha256With::best) noexcept;

  void add(std::span<const std::byte> bytes) noexcept;
  // The sum of everything added, as 64 lower-case hexadecimal digits. Must be the last call.
  std::string finish();

 private:
  using AddBlock = void(std::array<std::uint32_t, 8>& state, const std::byte* block) noexcept;

  AddBlock* add_block_;

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> held_{};  // an incomplete block
  std::uint64_t n_bytes_ = 0;
};

// Returns true if the text is 64 lower-case hexadecimal digits.
bool is_sha256(std::string_view text) noexcept;

}  // namespace confab::engine
