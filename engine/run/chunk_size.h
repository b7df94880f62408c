// SPDX-License-Identifier: MIT
// How many tokens of a prompt to run at once, so that a cancel is answered quickly.
#pragma once

#include <chrono>

namespace confab::engine {

// Each run reads and unpacks all weights once, so long runs cost less per token. But a run can only
// stop between runs, or between layers. The size follows the measured speed.
class ChunkSize {
 public:
  static constexpr std::chrono::milliseconds kAim{80};  // per part; a cancel may take 100 ms
  // Below this, reading the weights costs more than computing with them.
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
