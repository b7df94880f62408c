// SPDX-License-Identifier: MIT
// What LaTeX's names of symbols mean in Unicode. Only math.cpp needs this.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace confab::ui {

// What decides the space around a symbol, much as in TeX (The TeXbook, chapter 18).
enum class MathClass : std::uint8_t {
  none,  // shows nothing
  ord,   // letters, digits
  word,  // names of functions
  op,    // sums, integrals
  bin,
  rel,
  open,
  close,
  bar,  // | and ‖: open or close by what stands before them
  punct,
  space,
};

struct MathSymbol {
  std::string_view name;  // without the backslash
  std::string_view text;
  MathClass kind;
  bool limits = false;  // in a display, scripts stand over and under it
};

struct MathScript {
  std::string_view character;
  std::string_view script;
};

const MathSymbol* find_math_symbol(std::string_view name);
std::span<const MathSymbol> math_symbols();  // all, sorted by name

// A character raised or lowered; empty where Unicode has none.
std::string_view superscript(std::string_view character);
std::string_view subscript(std::string_view character);

}  // namespace confab::ui
