// SPDX-License-Identifier: MIT
// How much of a text a draft model may read now, so that what it never pays back stays a small part
// of the time: a prompt is long, and drafts for a short answer to it are few.
#pragma once

#include <chrono>
#include <limits>

namespace confab::engine {

// Follows from what it is told alone: it has no clock.
//
// Bound: all reading takes at most this share of the time that has passed, and the first part of
// kFirst tokens, from which its speed is learnt.
class ReadingShare {
 public:
  static constexpr double kShare = 1.0 / 64;
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  static constexpr int kFirst = 16;
  // Fewer tokens than this are read together with the text's last one, at no cost of their own.
  static constexpr int kFree = 16;

  explicit ReadingShare(double share = kShare) noexcept : share_(share) {}

  // So much time has passed, of answers and all that belongs to them.
  void passed(std::chrono::duration<double> time) noexcept { passed_ += time.count(); }
  // How many of n tokens may be read now; none rather than a few.
  int allowed(int n) const noexcept;
  // Reading n tokens took so long.
  void record(int n, std::chrono::duration<double> time) noexcept;

 private:
  double share_;
  double passed_ = 0;  // seconds
  double spent_ = 0;   // of these, reading
  double by_token_ = 0;
};

}  // namespace confab::engine
