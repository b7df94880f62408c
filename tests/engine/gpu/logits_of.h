// SPDX-License-Identifier: MIT
// What a decoder of a graphics processor says of tokens.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "engine/cache/decoder.h"

namespace confab::engine {

// Logits of all tokens of one sequence, fed in pieces; the last size is used again and again.
inline std::vector<float> logits_of(Decoder& decoder, std::span<const Token> tokens,
                                    const std::vector<int>& pieces) {
  const std::unique_ptr<Sequence> sequence = decoder.make_sequence();
  std::vector<float> all;
  for (std::size_t i = 0, piece = 0; i < tokens.size(); ++piece) {
    const int size = pieces[std::min(piece, pieces.size() - 1)];
    const std::size_t n = std::min(static_cast<std::size_t>(size), tokens.size() - i);
    const SequenceRun run{sequence.get(), tokens.subspan(i, n), LogitsOf::all_tokens};
    EXPECT_EQ(decoder.run({&run, 1}, [](int) { return true; }), RunEnd::done);
    all.insert(all.end(), decoder.logits(0).begin(), decoder.logits(0).end());
    i += n;
  }
  return all;
}

}  // namespace confab::engine
