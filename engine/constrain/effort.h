// SPDX-License-Identifier: MIT
// What a shape may cost: one counter of depth and of work for everything that reads a schema, a
// grammar or an expression, or works something out of it. Whatever comes in, the answer or the
// refusal comes soon and needs little stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/error.h"

namespace confab::engine {

class Effort {
 public:
  // Levels of groups, parentheses, references and values inside of each other. Schemas that people
  // write have fewer than thirty.
  static constexpr int kMaxDepth = 100;
  // Half of the smallest stack that a thread has (512 KiB on macOS). Only builds with sanitizers,
  // whose frames are larger, meet it before kMaxDepth.
  static constexpr std::ptrdiff_t kMaxStackBytes = std::ptrdiff_t{256} << 10U;
  // Steps of some 20 ns: about a second.
  static constexpr std::uint64_t kMaxWork = 50'000'000;

  // What follows is another question, which may cost as much again.
  void begin() noexcept { n_spent_ = 0; }
  void spend(std::size_t n_steps) {
    n_spent_ += n_steps;
    if (n_spent_ > kMaxWork) throw ModelError("it is too complex: simplify its patterns");
  }

  // Held by whoever recurses. Throws ModelError when it is one level too many.
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
  const std::byte* bottom_ = nullptr;  // of the stack, where the first level began
};

}  // namespace confab::engine
