// SPDX-License-Identifier: MIT
// A hash table from byte strings to ids, filled once and then only read. It holds the vocabulary by
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

// A 64-bit hash, the same on all machines with the same byte order. It does not resist crafted
// collisions.
std::uint64_t hash_bytes(std::string_view bytes) noexcept;

class TextTable {
 public:
  // Reserves room for n_keys; grows beyond that.
  explicit TextTable(std::size_t n_keys);

  // Returns false and changes nothing if the key exists.
  bool insert(std::string_view key, int id) { return insert(key, hash(key), id); }
  // Returns -1 if the key does not exist.
  int find(std::string_view key) const noexcept;

  // For many keys in a row. Do hash, prefetch, and find or insert as three steps for several keys
  // at a time, so that their cache misses overlap.
  static std::uint32_t hash(std::string_view key) noexcept;
  void prefetch(std::uint32_t hash) const noexcept;
  int find(std::string_view key, std::uint32_t hash) const noexcept;
  bool insert(std::string_view key, std::uint32_t hash, int id);

  std::size_t longest() const noexcept { return longest_; }  // bytes of the longest key

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t id = -1;  // -1: free
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  const Slot& slot_of(std::string_view key, std::uint32_t hash) const noexcept;
  void grow();

  std::vector<Slot> slots_;  // size is a power of two; linear probing
  std::string keys_;
  std::size_t n_keys_ = 0;
  std::size_t longest_ = 0;
};

}  // namespace confab::engine
