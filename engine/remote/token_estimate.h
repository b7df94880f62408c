// SPDX-License-Identifier: MIT
// How many tokens a prompt may have for an engine that has the only tokenizer: by its bytes, the
// better the more prompts the engine has counted.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/api/turn.h"

namespace confab::engine {

class TokenEstimate {
 public:
  int count(const std::vector<Turn>& turns) const;
  // The engine has counted so many tokens of these.
  void learn(std::size_t n_bytes, std::size_t n_turns, int n_tokens);

  // What count() goes by: bytes of text, of which those outside of ASCII count for more.
  static std::size_t n_bytes(const std::vector<Turn>& turns);

 private:
  int count(std::size_t n_bytes, std::size_t n_turns) const;

  double bytes_per_token_ = 3.6;  // of English prose about 4.5, of code 3
};

}  // namespace confab::engine
