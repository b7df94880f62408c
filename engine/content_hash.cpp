// SPDX-License-Identifier: MIT
#include "engine/content_hash.h"

#include <fmt/format.h>

namespace confab::engine {

void ContentHash::add_bytes(std::span<const std::byte> bytes) noexcept {
  std::uint64_t hash = value_;
  for (const std::byte byte : bytes) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
  }
  value_ = hash;
}

void ContentHash::add(std::uint64_t number) noexcept {
  std::byte bytes[8];
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(number >> (8 * i));
  add_bytes(bytes);
}

void ContentHash::add(std::string_view text) noexcept {
  add(text.size());
  add_bytes(std::as_bytes(std::span(text)));
}

std::string ContentHash::hex() const {
  return fmt::format("{:016x}", value_);
}

}  // namespace confab::engine
