// SPDX-License-Identifier: MIT
// A hash to tell contents apart. It does not resist attacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace confab::engine {

// 64-bit FNV-1a. Source: https://www.rfc-editor.org/rfc/rfc9923 (Fowler, Noll, Vo)
class ContentHash {
 public:
  void add_bytes(std::span<const std::byte> bytes) noexcept;
  // Added as little-endian bytes, so that the hash is the same on every machine.
  void add(std::uint64_t number) noexcept;
  // Added together with its length, so that "ab", "c" and "a", "bc" differ.
  void add(std::string_view text) noexcept;

  std::uint64_t value() const noexcept { return value_; }
  std::string hex() const;  // 16 digits

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace confab::engine
