// SPDX-License-Identifier: MIT
// Texts as a grammar reads them: whole ones, beginnings, and such as it makes by itself.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/constrain/machine.h"

namespace confab::engine {

inline constexpr int kMostBytes = 256;

// The bytes that may come at a position.
inline std::vector<std::uint8_t> bytes_after(Machine& machine, const Position& position) {
  std::vector<std::uint8_t> bytes;
  for (int b = 0; b < kMostBytes; ++b)
    if (!machine.advance(position, static_cast<std::uint8_t>(b)).is_dead())
      bytes.push_back(static_cast<std::uint8_t>(b));
  return bytes;
}

// A grammar and what is needed to read with it.
class TextReader {
 public:
  explicit TextReader(const std::function<std::unique_ptr<Grammar>(RegexSet&)>& make)
      : grammar_(make(regexes)), machine(*grammar_) {}

  bool accepts(std::string_view text) { return machine.advance(machine.start(), text).may_end; }
  bool begins(std::string_view text) { return !machine.advance(machine.start(), text).is_dead(); }
  // A text of random bytes that the grammar allows, about so many, then the way out. Each position
  // is shown to `look`, with what led there.
  template <typename Look>
  std::string random_text(std::mt19937& rng, std::size_t n_bytes, Look look) {
    Position at = machine.start();
    std::string text;
    for (; text.size() < n_bytes; look(at, text)) {
      const std::vector<std::uint8_t> bytes = bytes_after(machine, at);
      if (bytes.empty() || (at.may_end && rng() % 16 == 0)) return text;
      // ASCII mostly, so that the texts are not all of the longest characters.
      std::uint8_t byte = bytes[rng() % bytes.size()];
      for (int i = 0; i < 4 && byte >= 0x80; ++i) byte = bytes[rng() % bytes.size()];
      at = machine.advance(at, byte);
      text += static_cast<char>(byte);
    }
    return text + machine.way_out(at).value();
  }

  RegexSet regexes;

 private:
  std::unique_ptr<Grammar> grammar_;

 public:
  Machine machine;
};

}  // namespace confab::engine
