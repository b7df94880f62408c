// SPDX-License-Identifier: MIT
// Walks a grammar by the bytes of a fuzz input.
#pragma once

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/constrain/machine.h"
#include "engine/error.h"

namespace confab::engine {

// What must hold: a text that is not dead has a way out.
inline void require(bool holds) {
  if (!holds) std::abort();
}

// The input is what `parse` reads, and after the first zero byte the bytes to walk by: each chooses
// among those that may come, so that texts get long. The only fault that may be said is a
// ModelError.
template <typename Parse>
void walk_input(std::string_view input, const Parse& parse) {
  constexpr std::size_t kMostNodes = 20'000, kMostSteps = 64, kMostBytes = 2000;
  const std::size_t zero = input.find('\0');
  const std::string_view choices =
      zero == input.npos ? std::string_view("walk on") : input.substr(zero + 1, kMostSteps);
  try {
    RegexSet regexes(kMostNodes);
    const std::unique_ptr<Grammar> grammar = parse(regexes, input.substr(0, zero));
    Machine machine(*grammar);
    Position at = machine.start();
    std::size_t n_bytes = 0;  // of all ways out: some are long from everywhere
    for (const char c : choices) {
      if (at.is_dead() || n_bytes > kMostBytes) return;
      const std::optional<std::string> rest = machine.way_out(at);
      require(rest && machine.advance(at, *rest).may_end);
      n_bytes += rest->size();
      auto byte = static_cast<std::uint8_t>(c);
      Position next = machine.advance(at, byte);
      for (int i = 0; i < 256 && next.is_dead(); ++i) next = machine.advance(at, ++byte);
      at = std::move(next);
    }
  } catch (const ModelError&) {
  }
}

}  // namespace confab::engine
