// SPDX-License-Identifier: MIT
#include "engine/run/sampling/draw.h"

#include <algorithm>

namespace confab::engine {

Drawn draw(Candidates& candidates, Pcg32& random) noexcept {
  const double total = candidates.weigh().total;
  double left = random.next_double() * total;
  std::size_t begin = 0, end = candidates.size();
  if (!candidates.are_few()) {  // first finds the block
    std::size_t block = 0;
    for (const double sum : candidates.block_sums().first(candidates.block_sums().size() - 1)) {
      if (left < sum) break;
      left -= sum;
      ++block;
    }
    begin = block * kWeightBlock;
    end = std::min(begin + kWeightBlock, end);
  }
  std::size_t drawn = begin;  // the last candidate, if rounding leaves a remainder
  for (std::size_t i = begin; i < end; ++i) {
    if (candidates.weight(i) == 0) continue;
    drawn = i;
    left -= candidates.weight(i);
    if (left < 0) break;
  }
  return {candidates.id(drawn), candidates.weight(drawn) / total};
}

}  // namespace confab::engine
