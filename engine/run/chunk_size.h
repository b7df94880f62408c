// SPDX-License-Identifier: MIT
// How many tokens of a prompt to run at once, so that a cancel is answered soon.
#pragma once

#include <chrono>

namespace confab::engine {

// Each run reads and unpacks all weights once, so long ones are cheaper by the token; but only
// between two runs, or between the layers of one, can it stop. Grows and shrinks with the speed
// measured.
class ChunkSize {
 public:
  static constexpr std::chrono::milliseconds kAim{80};  // of a part; a cancel may take 100 ms
  // Where reading the weights begins to cost more than computing with them.
  static constexpr int kMin = 16;
  static constexpr int kFirst = 64;  // before anything has been measured

  // A run can stop after each of n_parts equal parts.
  explicit ChunkSize(int n_batch, int n_parts = 1) noexcept;

  int n_tokens() const noexcept { return n_tokens_; }  // 1..n_batch
  int n_batch() const noexcept { return n_batch_; }
  void record(int n, std::chrono::duration<double> time) noexcept;

 private:
  int n_batch_;
  int n_parts_;
  int n_tokens_;
};

}  // namespace confab::engine
