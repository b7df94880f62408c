// SPDX-License-Identifier: MIT
#include "engine/text/text_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace confab::engine {
namespace {

constexpr std::size_t kMinSlots = 16;

// Enough slots for n keys to leave the table at most five eighths full.
std::size_t slots_for(std::size_t n) {
  return std::max(kMinSlots, std::bit_ceil(n + n / 2 + n / 10));
}

// Loads up to 7 bytes as a number without calling memcpy.
std::uint64_t load_tail(std::string_view bytes) {
  const std::size_t n = bytes.size();
  if (n >= 4) {
    std::uint32_t low = 0, high = 0;
    std::memcpy(&low, bytes.data(), 4);
    std::memcpy(&high, bytes.data() + n - 4, 4);
    return low | static_cast<std::uint64_t>(high) << (8 * (n - 4));
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < n; ++i) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return word;
}

}  // namespace

std::uint64_t hash_bytes(std::string_view bytes) noexcept {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
  };
  mix(bytes.size());
  while (bytes.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    mix(word);
    bytes.remove_prefix(sizeof word);
  }
  mix(load_tail(bytes));
  return hash;
}

TextTable::TextTable(std::size_t n_keys) : slots_(slots_for(n_keys)) {
  keys_.reserve(n_keys * 7);
}

const TextTable::Slot& TextTable::slot_of(std::string_view key, std::uint32_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id < 0) return slot;
    if (slot.hash == hash && slot.size == key.size() &&
        std::memcmp(keys_.data() + slot.begin, key.data(), key.size()) == 0) {
      return slot;
    }
  }
}

std::uint32_t TextTable::hash(std::string_view key) noexcept {
  return static_cast<std::uint32_t>(hash_bytes(key));
}

void TextTable::prefetch(std::uint32_t hash) const noexcept {
  __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
}

int TextTable::find(std::string_view key, std::uint32_t hash) const noexcept {
  return slot_of(key, hash).id;
}

int TextTable::find(std::string_view key) const noexcept {
  return find(key, hash(key));
}

bool TextTable::insert(std::string_view key, std::uint32_t hash, int id) {
  if (slots_for(n_keys_ + 1) > slots_.size()) grow();
  const auto index = static_cast<std::size_t>(&slot_of(key, hash) - slots_.data());
  if (slots_[index].id >= 0) return false;
  slots_[index] = {hash, id, static_cast<std::uint32_t>(keys_.size()),
                   static_cast<std::uint32_t>(key.size())};
  keys_ += key;
  ++n_keys_;
  longest_ = std::max(longest_, key.size());
  return true;
}

void TextTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  std::swap(old, slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id < 0) continue;
    std::size_t i = slot.hash & mask;
    while (slots_[i].id >= 0) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

}  // namespace confab::engine
