// SPDX-License-Identifier: MIT
#include "engine/run/device/warm_up.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "engine/cache/decoder.h"

namespace confab::engine {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Rows of passes that are run by other programs: tokens that are written, alone, with guesses or
// beside others, ends of prompts. The best logits are those of the default sampler.
constexpr int kSizes[] = {64, 16, 8, 4, 2, 1};
constexpr int kTop = 40;

// Clocks rise while there is work, for about so long (an H100 takes a fifth of a second).
constexpr Seconds kLongest{0.3};
constexpr double kSteady = 0.97;  // of the quickest pass so far: hardly quicker
constexpr int kSteadyPasses = 3;

}  // namespace

void warm_up(Decoder& decoder, int n_vocab, const std::function<void()>& on_pass) {
  const int n_most = std::min(decoder.n_batch(), decoder.n_ctx());
  std::vector<Token> tokens(static_cast<std::size_t>(n_most));
  for (int i = 0; i < n_most; ++i) tokens[static_cast<std::size_t>(i)] = (7 + 31 * i) % n_vocab;
  const std::unique_ptr<Sequence> sequence = decoder.make_sequence();
  const auto run = [&](int n, int n_top) {
    if (on_pass) on_pass();
    sequence->truncate(0);
    const SequenceRun pass{sequence.get(),
                           {tokens.data(), static_cast<std::size_t>(n)},
                           LogitsOf::last_token,
                           n_top < n_vocab ? n_top : 0};
    const Clock::time_point begin = Clock::now();
    decoder.run({&pass, 1}, [](int) { return true; });
    return Seconds(Clock::now() - begin);
  };
  for (const int n : kSizes)
    if (n <= n_most)
      for (const int n_top : {0, kTop}) run(n, n_top);
  Seconds least = run(n_most, 0), all{0};
  for (int n_steady = 0; n_steady < kSteadyPasses && all < kLongest;) {
    const Seconds took = run(n_most, 0);
    n_steady = took < least * kSteady ? 0 : n_steady + 1;
    least = std::min(least, took);
    all += took;
  }
}

}  // namespace confab::engine
