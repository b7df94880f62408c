// SPDX-License-Identifier: MIT
// The Unicode characters of LaTeX's symbol names. Only ui/math includes this.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace confab::ui {

// Determines the space around a symbol, much as in TeX (The TeXbook, chapter 18).
enum class MathClass : std::uint8_t {
  none,  // shows nothing
  ord,   // letters, digits
  word,  // function names
  op,    // sums, integrals
  bin,
  rel,
  open,
  close,
  bar,  // | and ‖; they open or close depending on what precedes them
  punct,
  space,
};

struct MathSymbol {
  std::string_view name;  // without the backslash
  std::string_view text;
  MathClass kind;
  bool limits = false;  // in display style, scripts stand over and under it
};

struct MathScript {
  std::string_view character;
  std::string_view script;
};

const MathSymbol* find_math_symbol(std::string_view name);
std::span<const MathSymbol> math_symbols();  // all, sorted by name

// Return the raised or lowered character, or an empty text if Unicode does not have it.
std::string_view superscript(std::string_view character);
std::string_view subscript(std::string_view character);

}  // namespace confab::ui
