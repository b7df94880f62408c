// SPDX-License-Identifier: MIT
#include "engine/cache/decoder.h"

namespace confab::engine {

int Sequence::truncate(int n) noexcept {
  const int n_left = truncate_state(n);
  tokens_.resize(static_cast<std::size_t>(n_left));
  return n_left;
}

std::optional<std::size_t> Sequence::restore(StoredBlock& stored, std::span<const Token> tokens) {
  const auto copied = restore_state(stored, tokens);
  if (copied) tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  return copied;
}

RunEnd Decoder::trace(std::span<const SequenceRun> runs, std::vector<ProgramRun>& programs) {
  programs.clear();
  return run(runs, [](int) { return true; });
}

}  // namespace confab::engine
