// SPDX-License-Identifier: MIT
// Text as a terminal shows it: characters, widths, and protection against text that could drive the
// terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace confab::ui {

// Conversion between characters and UTF-8. No other file in ui decodes UTF-8.
std::string to_utf8(char32_t character);  // U+FFFD for a surrogate or beyond U+10FFFF

struct Utf8Character {
  enum class Kind : std::uint8_t {
    whole,
    malformed,
    cut,  // the text ends in the middle of the character
  };
  char32_t code_point;  // U+FFFD unless the character is whole
  // For malformed bytes, the length of the maximal subpart (The Unicode Standard, chapter 3, table
  // 3-8): the longest prefix that could still have begun a character.
  std::size_t n_bytes;
  Kind kind = Kind::whole;
};
// Decodes the first character. The text must not be empty.
Utf8Character next_character(std::string_view text);
// Whether the byte continues a UTF-8 sequence.
inline bool goes_on(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80;
}
inline char32_t from_utf8(std::string_view text) {
  return next_character(text).code_point;
}

// Columns and rows of a screen. They are distinct types so that they cannot be mixed up with
// byte offsets or counts of characters.
struct Cols {
  int value = 0;
  auto operator<=>(const Cols&) const = default;
};
struct Rows {
  int value = 0;
  auto operator<=>(const Rows&) const = default;
};

// The purpose that untrusted text is made safe for.
enum class SafeFor : std::uint8_t {
  showing,
  // Keeps text that only misleads the eye as it was written. Control characters are made visible
  // here too, because they would act as keys where the text is pasted, for example in a shell.
  copying,
};

// Makes untrusted text safe. C0 controls except \n and \t, DEL and C1 controls become visible (^[
// or a U+2400 picture). Invalid UTF-8 and the unassigned U+E0080 to U+E00FF become U+FFFD. CR LF,
// U+2028 and U+2029 become line breaks.
//
// For showing, characters that reorder or hide text become U+FFFD too: bidirectional embeddings,
// overrides and isolates, and tags. Direction marks stay (U+200E, U+200F, U+061C), and so do the
// tags of a flag: letters and digits after an emoji, ended by U+E007F.
//
// The function is idempotent. Sanitising text for copying and then for showing gives the same as
// sanitising it for showing.
std::string sanitize(std::string_view text, SafeFor use = SafeFor::showing);
// Like sanitize(), with line breaks and tabs turned into spaces.
std::string one_line(std::string_view text);

// sanitize() for text that arrives in pieces. The joined results of feed() and flush() do not
// depend on where the text was cut. At most one character, or the tags of one flag, wait for the
// next piece.
class Sanitizer {
 public:
  explicit Sanitizer(SafeFor use = SafeFor::showing) : use_(use) {}

  std::string feed(std::string_view bytes);
  std::string flush();  // call at the end of the text

 private:
  std::string take(std::string_view bytes, bool ended);
  // Takes the next character that is not plain ASCII. Returns false if it needs more bytes.
  bool take_character(std::string_view& bytes, bool ended, std::string& out);

  SafeFor use_;
  std::string pending_;
  char32_t last_ = 0;  // the last character, not counting those that only change its looks
};

// The next grapheme cluster (what a reader calls a character) of valid UTF-8; at least one byte.
struct Grapheme {
  std::string_view bytes;
  Cols width;  // 0, 1 or 2; 0 for a tab or line break, which the layout expands
};
Grapheme next_grapheme(std::string_view text);

// Whether all terminals give a grapheme the width that next_grapheme() returns.
enum class WidthAgreement : std::uint8_t {
  agreed,
  ambiguous,  // one column, or two in a terminal set up for East Asian text (UAX #11)
  disputed,   // clusters of several code points, pictographs, private use, unassigned
};
WidthAgreement width_agreement(std::string_view grapheme);
// The columns that a grapheme takes in a terminal that splits clusters and shows ambiguous
// characters wide.
Cols widest(std::string_view grapheme);

Cols width(std::string_view text);
// Returns the longest prefix that is not wider than `cols`. It is cut between graphemes.
std::string_view clip(std::string_view text, Cols cols);
// Like clip(), with an ellipsis if something was cut off.
std::string ellipsize(std::string_view text, Cols cols);

}  // namespace confab::ui
