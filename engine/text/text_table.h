// SPDX-License-Identifier: MIT
// A hash table from byte strings to ids, made once and then only read: the vocabulary by text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

// 64 bits, the same on every machine of the same byte order; not for hostile keys of one's own.
std::uint64_t hash_bytes(std::string_view bytes) noexcept;

class TextTable {
 public:
  // Room for n_keys; grows beyond them.
  explicit TextTable(std::size_t n_keys);

  // False, and nothing changes, when the key is there already.
  bool insert(std::string_view key, int id) { return insert(key, hash(key), id); }
  // -1: not there.
  int find(std::string_view key) const noexcept;

  // For many keys in a row: each in the three steps hash, prefetch, find or insert, the steps of
  // several keys interleaved, waits for memory once for all of them.
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

  std::vector<Slot> slots_;  // a power of two; linear probing
  std::string keys_;
  std::size_t n_keys_ = 0;
  std::size_t longest_ = 0;
};

}  // namespace confab::engine
