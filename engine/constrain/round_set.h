// SPDX-License-Identifier: MIT
// A set for many searches in quick succession. clear() takes constant time, and nothing is
// allocated until the set grows beyond its largest size so far. Hash must return 64 well-mixed
// bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace confab::engine {

template <class Value, class Hash>
class RoundSet {
 public:
  std::size_t size() const noexcept { return n_; }
  void clear() noexcept {
    n_ = 0;
    ++round_;
  }
  // Returns false if the value was already there.
  bool insert(const Value& value) {
    if (2 * n_ >= slots_.size()) grow();
    Slot& slot = slots_[find(value)];
    if (slot.round == round_) return false;
    slot = {value, round_};
    ++n_;
    return true;
  }

 private:
  static constexpr std::size_t kFirstSlots = 256;
  struct Slot {
    Value value = {};
    std::uint64_t round = 0;  // in which the slot was filled
  };

  // The slot of the value, or a free slot.
  std::size_t find(const Value& value) const noexcept {
    const std::uint64_t hash = Hash{}(value);
    std::size_t at = (hash ^ (hash >> 32U)) & (slots_.size() - 1);
    while (slots_[at].round == round_ && slots_[at].value != value)
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    const std::vector<Slot> former =
        std::exchange(slots_, std::vector<Slot>(std::max(kFirstSlots, 2 * slots_.size())));
    for (const Slot& slot : former)
      if (slot.round == round_) slots_[find(slot.value)] = slot;
  }

  std::vector<Slot> slots_;  // with open addressing
  std::size_t n_ = 0;
  std::uint64_t round_ = 1;
};

}  // namespace confab::engine
