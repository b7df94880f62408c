// SPDX-License-Identifier: MIT
// Drafts for one answer: what its next tokens may be, looked up in its context, and how many of
// them are worth a pass. The model checks each before it is taken, so that answers stay as they
// are, to the token.
#pragma once

#include <array>
#include <chrono>
#include <span>

#include "engine/api/token.h"
#include "engine/run/draft_length.h"
#include "engine/run/lookup.h"

namespace confab::engine {

class Drafting {
 public:
  // Contexts of up to n_ctx tokens, and one that is not in the cache any more. on: false never
  // proposes anything.
  Drafting(int n_ctx, bool on);

  // An answer begins, after these tokens.
  void begin(std::span<const Token> context);
  // The context goes on by a token.
  void add(Token token);
  // What may follow: at most `most` tokens, borrowed until the next call; none where nothing is
  // known, or it does not pay.
  std::span<const Token> propose(int most);
  // A pass of the last token and the draft after it took so long, and the first n_taken of the
  // draft were right.
  void record(int n_drafted, int n_taken, std::chrono::duration<double> time);

 private:
  // A single token that has been there before says too little.
  static constexpr int kMinMatch = 2;

  bool on_;
  Lookup lookup_;
  DraftLength length_;
  std::array<Token, DraftLength::kMost> draft_{};
};

}  // namespace confab::engine
