// SPDX-License-Identifier: MIT
// How many tokens of a prompt to run at once, so that a cancel is answered soon.
#pragma once

#include <chrono>

namespace confab::engine {

// Each run reads all weights once, so long ones are cheaper by the token; but between two runs is
// the only time to stop. Grows and shrinks with the speed measured.
class ChunkSize {
 public:
  static constexpr std::chrono::milliseconds kAim{80};  // of a run; a cancel may take 100 ms
  // Where reading the weights begins to cost more than computing with them.
  static constexpr int kMin = 16;
  static constexpr int kFirst = 64;  // before anything has been measured

  explicit ChunkSize(int n_batch) noexcept;

  int n_tokens() const noexcept { return n_tokens_; }  // 1..n_batch
  void record(int n, std::chrono::duration<double> time) noexcept;

 private:
  int n_batch_;
  int n_tokens_;
};

}  // namespace confab::engine
