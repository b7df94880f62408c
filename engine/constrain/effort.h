// SPDX-License-Identifier: MIT
// Limits the cost of a shape: one counter of depth and work for everything that reads a schema, a
// grammar or an expression, or computes something from it. For any input, the result or the refusal
// comes soon and needs little stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/error.h"

namespace confab::engine {

class Effort {
 public:
  // The maximum nesting of groups, parentheses, references and values. Schemas written by people
  // have fewer than thirty levels.
  static constexpr int kMaxDepth = 100;
  // Half of the smallest stack that a thread has (512 KiB on macOS). Only builds with sanitizers,
  // whose frames are larger, reach it before kMaxDepth.
  static constexpr std::ptrdiff_t kMaxStackBytes = std::ptrdiff_t{256} << 10U;
  // Steps of about 20 ns each: about a second.
  static constexpr std::uint64_t kMaxWork = 50'000'000;

  // Starts another question, which may again cost kMaxWork.
  void begin() noexcept { n_spent_ = 0; }
  void spend(std::size_t n_steps) {
    n_spent_ += n_steps;
    if (n_spent_ > kMaxWork) throw ModelError("it is too complex: simplify its patterns");
  }

  // Recursive functions hold one of these. Throws ModelError if the nesting is too deep.
  class Level {
   public:
    explicit Level(Effort& effort) : effort_(effort) {
      const auto* here = static_cast<const std::byte*>(__builtin_frame_address(0));
      if (effort_.depth_ == 0) effort_.bottom_ = here;
      if (effort_.depth_ >= kMaxDepth || std::abs(effort_.bottom_ - here) > kMaxStackBytes)
        throw ModelError("it is nested too deeply");
      ++effort_.depth_;
    }
    ~Level() { --effort_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Effort& effort_;
  };

 private:
  std::uint64_t n_spent_ = 0;
  int depth_ = 0;
  const std::byte* bottom_ = nullptr;  // the stack address of the first level
};

}  // namespace confab::engine
