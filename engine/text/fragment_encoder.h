// SPDX-License-Identifier: MIT
// The part of tokenising that differs between SentencePiece and byte-level BPE: a stretch of text
// without special tokens to ids. Const, so safe to share between threads.
#pragma once

#include <string_view>
#include <vector>

#include "engine/text/tokenizer.h"

namespace confab::engine {

class FragmentEncoder {
 public:
  virtual ~FragmentEncoder() = default;
  // Appends the ids of `text`, any bytes. starts_text: nothing or a special token stands before it.
  // Time: O(n log n) at worst, linear for text made of words.
  virtual void encode(std::string_view text, bool starts_text, std::vector<Token>& out) const = 0;
};

}  // namespace confab::engine
